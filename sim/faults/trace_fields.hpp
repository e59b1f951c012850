// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/faults/fault_trace.hpp"

namespace faultline::faults {

/// No trace has a time beyond this, or before its negative; with larger ones a sum may overflow.
inline constexpr double kLatest_s = 1e12;

/// The text without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

/// The words of a line, which are separated by blanks.
std::vector<std::string_view> split_words(std::string_view text);

/// Splits a line at commas. A field in quotes can contain commas (RFC 4180); the quotes are
/// removed.
std::vector<std::string> split_csv(std::string_view line);

/// The number that the whole text is, blanks aside; nothing if it is none, or not finite.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Number value{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

/// A day and the time within it, of whatever clock.
struct Moment {
  std::int64_t year = 1970;
  std::int64_t month = 1;
  std::int64_t day = 1;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  double second = 0.0;
};

/// Seconds from the beginning of 1970, by the same clock, or nothing if there is no such moment.
/// Years are 1900 to 2200.
std::optional<double> since_1970_s(const Moment& moment);

/// Reads a time of ISO 8601, such as `2026-11-27T15:28:00.5Z`: a date, and a time that may lack
/// seconds, and may have a distance from UTC (`Z`, `+01:00`). Without one it counts as UTC. Returns
/// seconds since 1970.
std::optional<double> iso_time_s(std::string_view text);

/// Either a record, or the reason why there is none. `other` means readable, but not a failure.
struct LineResult {
  std::optional<FaultRecord> record;
  std::string reason;
  bool other = false;
  std::optional<std::int64_t> system = {};  ///< system of an unreadable line, if that can be read
};

/// The result for a line that cannot be read.
LineResult unreadable(std::string reason, std::optional<std::int64_t> system = {});

}  // namespace faultline::faults
