// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/trace_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace faultline::faults {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Days from 1970-01-01 in the Gregorian calendar (Hinnant, chrono-compatible date algorithms).
std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

bool is_date(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (year < 1900 || year > 2200 || month < 1 || month > 12 || day < 1) return false;
  const std::int64_t next =
      month == 12 ? days_from_civil(year + 1, 1, 1) : days_from_civil(year, month + 1, 1);
  return day <= next - days_from_civil(year, month, 1);
}

/// Takes a number of exactly so many digits from the front of the text.
std::optional<std::int64_t> take_digits(std::string_view& text, std::size_t digits) {
  const std::string_view front = text.substr(0, digits);
  const bool are_digits = front.size() == digits &&
                          std::ranges::all_of(front, [](char c) { return c >= '0' && c <= '9'; });
  if (!are_digits) return std::nullopt;
  text.remove_prefix(digits);
  return number_in<std::int64_t>(front);
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes `:SS`, with or without a fraction, if there are seconds.
std::optional<double> take_seconds(std::string_view& text) {
  if (!take(text, ':')) return 0.0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto seconds = number_in<double>(text.substr(0, end));
  if (end < 2 || !seconds) return std::nullopt;
  text.remove_prefix(end);
  return seconds;
}

/// Takes `Z`, `+HH:MM`, `+HHMM` or `+HH`, and returns the seconds by which that clock is ahead of
/// UTC.
std::optional<double> take_zone_s(std::string_view& text) {
  if (text.empty() || take(text, 'Z')) return 0.0;
  const double sign = text.front() == '-' ? -1 : 1;
  if (!take(text, '-') && !take(text, '+')) return std::nullopt;
  const auto hours = take_digits(text, 2);
  take(text, ':');
  const auto minutes = text.empty() ? std::optional<std::int64_t>(0) : take_digits(text, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * static_cast<double>((*hours * 60 + *minutes) * 60);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trimmed(text)).empty()) {
    const auto end = std::find_if(text.begin(), text.end(), is_blank);
    const auto length = static_cast<std::size_t>(end - text.begin());
    words.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return words;
}

std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

std::optional<double> since_1970_s(const Moment& at) {
  if (!is_date(at.year, at.month, at.day)) return std::nullopt;
  if (at.hour < 0 || at.hour > 23 || at.minute < 0 || at.minute > 59) return std::nullopt;
  if (!(at.second >= 0 && at.second < 61)) return std::nullopt;
  const std::int64_t minutes =
      (days_from_civil(at.year, at.month, at.day) * 24 + at.hour) * 60 + at.minute;
  return static_cast<double>(minutes * 60) + at.second;
}

std::optional<double> iso_time_s(std::string_view text) {
  text = trimmed(text);
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  Moment moment{.year = *year, .month = *month, .day = *day};
  if (text.empty()) return since_1970_s(moment);
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  const auto second = take_seconds(text);
  const auto zone_s = take_zone_s(text);
  if (!minute || !second || !zone_s || !text.empty()) return std::nullopt;
  moment.hour = *hour;
  moment.minute = *minute;
  moment.second = *second;
  const auto time_s = since_1970_s(moment);
  return time_s ? std::optional(*time_s - *zone_s) : std::nullopt;
}

LineResult unreadable(std::string reason, std::optional<std::int64_t> system) {
  return {{}, std::move(reason), false, system};
}

}  // namespace faultline::faults
