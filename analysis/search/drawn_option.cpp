// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/drawn_option.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace faultline::search {

namespace {

constexpr double kLargeCount = 50;    ///< more of anything makes runs long
constexpr double kNarrow = 64;        ///< ranges of integers up to this are drawn whole
constexpr double kFarthest = 100;     ///< factor between a quantity and its default
constexpr double kFarthestCount = 8;  ///< factor between a count and its default

/// The usual size of quantities without a default other than 0.
double usual(const std::string& unit) {
  if (unit == "s") return 1e-4;
  if (unit == "B") return 1e3;
  if (unit == "B/s") return 1e9;
  return 2;
}

double number_in(const OptionValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return 0.0;
}

bool is_number(const OptionSpec& spec) {
  return spec.kind == OptionKind::integer || spec.kind == OptionKind::number;
}

/// True for a number of things, of which many make a run long. A value with a unit only has a size.
bool is_count(const OptionSpec& spec) {
  return spec.kind == OptionKind::integer && (spec.unit.empty() || spec.unit == "levels");
}

/// True for a probability or another share.
bool is_share(const OptionSpec& spec) {
  return spec.kind == OptionKind::number && spec.unit.empty() && spec.minimum >= 0.0 &&
         spec.maximum <= 1.0;
}

double draw_share(const OptionSpec& spec, Stream& random) {
  const double manner = random.uniform();
  if (manner < 0.15 && !spec.above_minimum) return spec.minimum;
  if (manner < 0.2) return spec.maximum;
  const double least = std::max(spec.minimum, 1e-3);
  return manner < 0.5 ? draw_spread(random, least, spec.maximum)
                      : std::round(1e3 * (least + (spec.maximum - least) * random.uniform())) / 1e3;
}

double draw_around(const OptionSpec& spec, Stream& random) {
  const double known = number_in(spec.default_value);
  const double center = known > 0.0 ? known : usual(spec.unit);
  if (!is_count(spec)) return draw_spread(random, center / kFarthest, center * kFarthest);
  if (center > kLargeCount) return draw_spread(random, std::max(spec.minimum, 1.0), kLargeCount);
  return draw_spread(random, std::max(center / kFarthestCount, 1.0), center * kFarthestCount);
}

/// The end of a range, if it does not make a run long.
std::optional<double> draw_end(const OptionSpec& spec, Stream& random) {
  const bool low = random.chance(0.7);
  if (low && std::isfinite(spec.minimum))
    return spec.above_minimum ? std::nullopt : std::optional(spec.minimum);
  if (!low && std::isfinite(spec.maximum) && !is_count(spec)) return spec.maximum;
  return std::nullopt;
}

double draw_number(const OptionSpec& spec, Stream& random, std::uint32_t processes) {
  if (is_share(spec)) return draw_share(spec, random);
  const bool whole = spec.kind == OptionKind::integer;
  // The last quarter of a range of counts takes long, such as the largest boards.
  if (const double range = spec.maximum - spec.minimum; whole && range <= kNarrow)
    return spec.minimum +
           static_cast<double>(random.below(
               static_cast<std::uint64_t>(range > kFarthestCount ? 0.75 * range : range) + 1));
  const double manner = random.uniform();
  std::optional<double> drawn;
  if (manner < 0.1) drawn = draw_end(spec, random);
  // Many counts are numbers of processes, or the number of one process.
  if (manner > 0.8 && is_count(spec)) drawn = static_cast<double>(random.below(processes + 1));
  if (!drawn) drawn = draw_around(spec, random);
  if (whole) drawn = std::round(*drawn);
  const bool too_low = spec.above_minimum ? *drawn <= spec.minimum : *drawn < spec.minimum;
  if (too_low) drawn = whole || !spec.above_minimum ? spec.minimum : spec.minimum + 1e-6;
  return std::min(*drawn, spec.maximum);
}

json::JsonValue draw_words(const OptionSpec& spec, Stream& random) {
  json::JsonValue::List words;
  for (const std::string& choice : spec.choices)
    if (random.chance(0.5)) words.emplace_back(choice);
  return words;
}

}  // namespace

double draw_spread(Stream& random, double least, double most) {
  const double drawn = least * std::pow(most / least, random.uniform());
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), random.chance(0.5) ? "%.0e" : "%.2e", drawn);
  return std::strtod(digits.data(), nullptr);
}

namespace {

json::JsonValue draw_group(const OptionSpec& spec, Stream& random, std::uint32_t processes) {
  json::JsonValue object = json::JsonValue::Object{};
  draw_options(object, spec.fields, random, processes, 0.5, {});
  return object;
}

}  // namespace

bool can_be_drawn(const OptionSpec& spec) {
  return spec.kind == OptionKind::boolean || spec.kind == OptionKind::group || is_number(spec) ||
         !spec.choices.empty();
}

json::JsonValue draw_value(const OptionSpec& spec, Stream& random, std::uint32_t processes) {
  if (spec.nullable && random.chance(0.2)) return {};
  if (spec.kind == OptionKind::boolean) return random.chance(0.5);
  if (spec.kind == OptionKind::texts) return draw_words(spec, random);
  if (spec.kind == OptionKind::group) return draw_group(spec, random, processes);
  if (!spec.choices.empty()) return spec.choices[random.below(spec.choices.size())];
  return json::json_number(draw_number(spec, random, processes));
}

double draw_boldness(Stream& random) {
  constexpr std::array kOften{0.15, 0.5, 0.5, 0.9};
  return kOften[random.below(kOften.size())];
}

void draw_options(json::JsonValue& object, const std::vector<OptionSpec>& specs, Stream& random,
                  std::uint32_t processes, double boldness,
                  const std::vector<std::string>& except) {
  for (const OptionSpec& spec : specs) {
    if (!can_be_drawn(spec) || names(except, spec.name)) continue;
    const bool is_long = is_count(spec) && number_in(spec.default_value) > kLargeCount;
    if (spec.required || random.chance(is_long ? 0.9 : boldness))
      object.set(spec.name, draw_value(spec, random, processes));
  }
}

}  // namespace faultline::search
