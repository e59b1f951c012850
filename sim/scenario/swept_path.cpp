// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/swept_path.hpp"

#include <algorithm>
#include <variant>

#include "sim/json/json_value.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sweep.hpp"

namespace faultline::scenario {
namespace {

/// The keys at the top of the scenario of a point.
std::vector<std::string> keys_of_points() {
  std::vector<std::string> keys;
  const json::JsonValue schema = scenario_schema_tree();
  for (const json::JsonMember& property : *schema.find("properties")->object())
    if (!makes_points(property.key)) keys.push_back(property.key);
  return keys;
}

}  // namespace

json::JsonPath named_path(const std::string& key, const std::string& place,
                          json::Problems& problems) {
  json::JsonPath path = json::split_path(key);
  if (path.empty())
    problems.add(place, "expected a path such as platform.processes or faults.at[0].time_s");
  return path;
}

json::JsonPath swept_path(const std::string& key, const std::string& place,
                          json::Problems& problems, const std::vector<std::string>& beside) {
  static const std::vector<std::string> keys = keys_of_points();
  json::JsonPath path = named_path(key, place, problems);
  const std::string* top = path.empty() ? nullptr : std::get_if<std::string>(&path.front());
  if (top == nullptr || std::find(keys.begin(), keys.end(), *top) != keys.end()) return path;
  if (makes_points(*top)) {
    problems.add(place, json::in_quotes(*top) + " makes points and cannot be set at one of them");
    return path;
  }
  std::vector<std::string> names = keys;
  names.insert(names.end(), beside.begin(), beside.end());
  problems.add(place,
               "a scenario has no key " + json::in_quotes(*top) + json::suggestion(*top, names));
  return path;
}

}  // namespace faultline::scenario
