// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "sim/json/checked_object.hpp"

namespace faultline::advice {

namespace {

constexpr std::size_t kMostValues = 8;
constexpr const char* kDaly = "daly";
constexpr const char* kIterations = ".checkpoint_iterations";
constexpr const char* kRangeExample = R"({"from": 1, "to": 64})";

bool is_whole(const json::JsonValue* value) {
  return value != nullptr && std::holds_alternative<std::int64_t>(value->data);
}

std::optional<Range> read_range(const json::JsonValue& value, const std::string& path,
                                json::Problems& problems) {
  const std::size_t before = problems.size();
  json::CheckedObject object(value, path, problems);
  const json::JsonValue* from = object.child("from");
  const json::JsonValue* to = object.child("to");
  object.finish();
  if (problems.size() != before) return std::nullopt;
  const auto number = [](const json::JsonValue* end) {
    return end == nullptr ? std::nullopt : json::number_of(*end);
  };
  if (!number(from) || !number(to) || *number(from) <= 0 || *number(to) <= *number(from)) {
    problems.add(path, std::string("expected a range such as ") + kRangeExample +
                           ", with numbers above 0, and the larger one last");
    return std::nullopt;
  }
  return Range{*number(from), *number(to), is_whole(from) && is_whole(to)};
}

}  // namespace

json::JsonValue value_in(const Range& range, double value) {
  if (range.is_whole) return json::json_number(std::round(value));
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3g", value);
  return json::json_number(std::clamp(std::strtod(digits, nullptr), range.from, range.to));
}

json::JsonValue::List ladder(const Range& range, std::size_t most) {
  const double doublings = std::log2(range.to / range.from);
  const double steps = std::clamp(std::ceil(doublings - 1e-9), 1.0,
                                  static_cast<double>(std::max<std::size_t>(most, 2) - 1));
  json::JsonValue::List values;
  double last = 0;
  for (double step = 0; step <= steps; ++step) {
    const bool is_end = step == 0 || step == steps;
    const double exact = step == 0 ? range.from : range.from * std::exp2(doublings * step / steps);
    json::JsonValue value =
        is_end ? json::json_number(step == 0 ? range.from : range.to) : value_in(range, exact);
    const double number = *json::number_of(value);
    if (number > last) values.push_back(std::move(value));
    last = number;
  }
  return values;
}

std::vector<Tuned> read_tune(const json::JsonValue& value, json::Problems& problems) {
  std::vector<Tuned> all;
  for (const json::JsonMember& member : *value.object()) {
    const std::string path = json::member_path("tune", member.key);
    if (const json::JsonValue::List* list = member.value.list()) {
      if (list->empty()) problems.add(path, "expected at least one value");
      all.push_back({.path = member.key, .values = *list});
    } else if (member.value.text() != nullptr && *member.value.text() == kDaly) {
      if (!member.key.ends_with(kIterations))
        problems.add(path, "\"daly\" stands for values of checkpoint_iterations alone");
      all.push_back({.path = member.key, .is_daly = true});
    } else if (member.value.object() == nullptr) {
      problems.add(path, std::string("expected values such as [1, 2, 4], a range such as ") +
                             kRangeExample + ", or \"daly\", got " + json::describe(member.value));
    } else if (const auto range = read_range(member.value, path, problems)) {
      all.push_back({.path = member.key, .values = ladder(*range, kMostValues)});
    }
  }
  return all;
}

std::vector<PathRange> read_over(const json::JsonValue& value, json::Problems& problems) {
  std::vector<PathRange> all;
  for (const json::JsonMember& member : *value.object())
    if (const auto range =
            read_range(member.value, json::member_path("over", member.key), problems))
      all.push_back({member.key, *range});
  return all;
}

}  // namespace faultline::advice
