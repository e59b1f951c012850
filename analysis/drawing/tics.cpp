// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/tics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "analysis/text/summary_text.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

namespace {

constexpr double kNearly = 1e-9;  // so close to a whole number, a quotient is one

int tic_decade_of(double value) {
  return static_cast<int>(std::floor(std::log10(value) + kNearly));
}

std::string power_text(double value) {
  if (value == 0) return "0";
  const int exponent = tic_decade_of(std::fabs(value));
  const double mantissa = value / std::pow(10.0, exponent);
  std::string power = "10^{" + std::to_string(exponent) + "}";
  if (std::fabs(mantissa - 1) < kNearly) return power;
  return compact(mantissa) + "\xC2\xB7" + power;
}

/// What is seen of a text: neither the marks of a power nor the second bytes of letters.
std::size_t letters_of_tic(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
    const bool marks = letter == '^' || letter == '{' || letter == '}';
    return !marks && (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
  }));
}

/// 1, 2 or 5 times a power of ten, about as large as `value`.
double round_step(double value) {
  const double power = std::pow(10.0, tic_decade_of(value));
  const double times = value / power;
  return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/// The multiples of `step` in a range, with texts that have equally many decimals, or are powers of
/// ten where numbers would be long.
Tics multiples(const Interval& range, double step) {
  const int decimals = std::max(0, -tic_decade_of(step));
  const double largest = std::max(std::fabs(range.low), std::fabs(range.high));
  const bool powers = ((largest >= 1e6 || decimals > 3) && largest / step < 1e3) || decimals > 15;
  Tics tics;
  const auto first = static_cast<std::int64_t>(std::ceil(range.low / step - kNearly));
  const auto last = static_cast<std::int64_t>(std::floor(range.high / step + kNearly));
  for (std::int64_t i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    tics.emplace_back(powers ? power_text(value) : fixed(value, decimals), value);
  }
  return tics;
}

bool fit_into(const Tics& tics, double room) {
  constexpr double kApart = 8;  // pixels more than what must be between any two texts
  double widest = 0;
  for (const auto& [text, value] : tics) widest = std::max(widest, breadth_of_tic(text));
  return room <= 0 || (widest + kApart) * static_cast<double>(tics.size()) <= room;
}

}  // namespace

std::string tic_text(double value) {
  const double size = std::fabs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e6)) return compact(value);
  const std::string power = power_text(value);
  const bool is_whole = size < 1e15 && value == std::floor(value);
  const std::string plain = is_whole ? fixed(value, 0) : "";
  return is_whole && plain.size() <= letters_of_tic(power) ? plain : power;
}

double breadth_of_letters(std::size_t letters) {
  constexpr double kLetter = 8;  // of the usual sans-serif fonts at the size of gnuplot_head
  return kLetter * static_cast<double>(letters + 1);
}

double breadth_of_tic(const std::string& text) { return breadth_of_letters(letters_of_tic(text)); }

Tics linear_tics(const Interval& range, double room) {
  const double span = range.high - range.low;
  if (!std::isfinite(span) || span <= 0) return {};
  if (span < 1e-9 * std::max(std::fabs(range.low), std::fabs(range.high))) return {};
  for (const double parts : {5.0, 3.0, 2.0}) {
    Tics tics = multiples(range, round_step(span / parts));
    if (fit_into(tics, room)) return tics;
  }
  return multiples(range, round_step(span));
}

Tics logarithmic_tics(const Interval& range, double room) {
  const bool few = range.high / range.low < 1.5e3;
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  const int step = std::max(1, (last - first) / 8);
  Tics tics;
  for (int decade = first; decade <= last; decade += step)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, decade);
      if ((factor == 1.0 || few) && value >= range.low * (1 - kNearly) &&
          value <= range.high * (1 + kNearly))
        tics.emplace_back(tic_text(value), value);
    }
  return tics.size() < 3 ? linear_tics(range, room) : tics;
}

std::vector<double> minor_tics(const Interval& range, const Tics& tics) {
  constexpr double kMostDecades = 8;  // with more, they would run together
  if (std::log10(range.high / range.low) > kMostDecades) return {};
  std::vector<double> minor;
  for (int decade = tic_decade_of(range.low); decade <= tic_decade_of(range.high); ++decade)
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10.0, decade);
      const bool has_text = std::any_of(tics.begin(), tics.end(), [&](const auto& tic) {
        return std::fabs(tic.second - value) <= kNearly * value;
      });
      if (!has_text && value >= range.low && value <= range.high) minor.push_back(value);
    }
  return minor;
}

std::string tic_list(const Tics& tics, const std::vector<double>& minor) {
  std::string list;
  const auto next = [&list] { return list.empty() ? "" : ", "; };
  for (const auto& [text, value] : tics) list += next() + ("'" + text + "' " + shortest(value));
  for (const double value : minor) list += next() + ("'' " + shortest(value) + " 1");
  return "(" + list + ")";
}

}  // namespace faultline
