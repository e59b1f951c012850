// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/shrunk_scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace faultline::search {

namespace {

using Simpler = std::vector<json::JsonValue>;

/// A number with one significant digit.
double rounded(double number) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.0e", number);
  return std::strtod(digits.data(), nullptr);
}

/// Replaces `part` of `whole` by each of these values in turn.
void put(json::JsonValue& whole, json::JsonValue& part, std::vector<json::JsonValue> values,
         Simpler& simpler) {
  for (json::JsonValue& value : values) {
    std::swap(part, value);
    simpler.push_back(whole);
    std::swap(part, value);
  }
}

std::vector<json::JsonValue> simpler_numbers(const json::JsonValue& value) {
  const double number = *json::number_of(value);
  std::vector<json::JsonValue> simpler;
  const auto add = [&](double other) {
    if (other == number) return;
    json::JsonValue json = json::json_number(other);
    if (std::ranges::none_of(simpler, [&](const json::JsonValue& known) {
          return json::number_of(known) == json::number_of(json);
        }))
      simpler.push_back(std::move(json));
  };
  const bool whole = std::holds_alternative<std::int64_t>(value.data);
  add(0);
  if (std::abs(number) > 1) add(1);
  if (whole) {
    add(std::floor(number / 2));
    if (number > 1) add(number - 1);
  }
  add(rounded(number));
  return simpler;
}

/// Half of a list, the other half, and the list without one of its entries.
std::vector<json::JsonValue> shorter_lists(const json::JsonValue::List& list) {
  std::vector<json::JsonValue> shorter;
  const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
  if (list.size() > 2) {
    shorter.emplace_back(json::JsonValue::List(list.begin(), middle));
    shorter.emplace_back(json::JsonValue::List(middle, list.end()));
  }
  for (std::size_t i = list.size(); i-- > 0;) {
    json::JsonValue::List rest = list;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    shorter.emplace_back(std::move(rest));
  }
  return shorter;
}

void simplify(json::JsonValue& whole, json::JsonValue& part, Simpler& simpler) {
  if (json::JsonValue::Object* const object = part.object()) {
    for (std::size_t i = object->size(); i-- > 0;) {
      json::JsonMember member = std::move((*object)[i]);
      object->erase(object->begin() + static_cast<std::ptrdiff_t>(i));
      simpler.push_back(whole);
      object->insert(object->begin() + static_cast<std::ptrdiff_t>(i), std::move(member));
    }
    for (json::JsonMember& member : *object) simplify(whole, member.value, simpler);
  } else if (const json::JsonValue::List* const list = part.list()) {
    put(whole, part, shorter_lists(*list), simpler);
    for (json::JsonValue& entry : *part.list()) simplify(whole, entry, simpler);
  } else if (json::number_of(part)) {
    put(whole, part, simpler_numbers(part), simpler);
  }
}

/// Keeps only numbers below `end` in the lists of victims and of groups, and in the lists inside
/// them.
void keep_below(json::JsonValue& value, double end) {
  json::JsonValue::List* const list = value.list();
  if (list == nullptr) return;
  std::erase_if(
      *list, [&](const json::JsonValue& one) { return json::number_of(one).value_or(-1) >= end; });
  for (json::JsonValue& one : *list) keep_below(one, end);
}

/// Removes victims that the job no longer has, which would only be refused.
void keep_victims_below(json::JsonValue& value, double processes) {
  if (json::JsonValue::List* const list = value.list())
    for (json::JsonValue& one : *list) keep_victims_below(one, processes);
  json::JsonValue::Object* const object = value.object();
  if (object == nullptr) return;
  for (json::JsonMember& member : *object) {
    const bool is_victims =
        member.key == "ranks" || member.key == "nodes" || member.key == "daemons";
    if (is_victims)
      keep_below(member.value, processes);
    else
      keep_victims_below(member.value, processes);
  }
  // A fault without a victim is no fault.
  std::erase_if(*object, [](const json::JsonMember& member) {
    const json::JsonValue::List* const list = member.value.list();
    return list != nullptr && list->empty() && member.key != "as_printed";
  });
}

void with_fewer_processes(const json::JsonValue& scenario, Simpler& simpler) {
  const json::JsonValue* const platform = scenario.find("platform");
  const json::JsonValue* const given = platform == nullptr ? nullptr : platform->find("processes");
  const double processes = given == nullptr ? 0.0 : json::number_of(*given).value_or(0.0);
  for (const double fewer : {2.0, 3.0, 4.0, std::floor(processes / 2), processes - 1}) {
    if (fewer < 2.0 || fewer >= processes) continue;
    json::JsonValue other = scenario;
    other.find("platform")->set("processes", json::json_number(fewer));
    if (json::JsonValue* const faults = other.find("faults")) keep_victims_below(*faults, fewer);
    simpler.push_back(std::move(other));
  }
}

}  // namespace

std::vector<json::JsonValue> simpler_scenarios(const json::JsonValue& scenario) {
  Simpler simpler;
  with_fewer_processes(scenario, simpler);
  json::JsonValue whole = scenario;
  simplify(whole, whole, simpler);
  return simpler;
}

Shrunk shrunk(json::JsonValue scenario, const std::string& kind, const KindOf& kind_of,
              std::uint64_t most_tries) {
  Shrunk result{.scenario = std::move(scenario)};
  // Changes that have failed before are tried again only after a round that found something.
  for (bool found = true; found;) {
    found = false;
    std::vector<json::JsonValue> simpler = simpler_scenarios(result.scenario);
    for (std::size_t i = 0; i < simpler.size(); ++i) {
      if (result.tries++ >= most_tries) return result;
      if (kind_of(simpler[i]) != kind) continue;
      found = true;
      result.scenario = std::move(simpler[i]);
      simpler = simpler_scenarios(result.scenario);
      if (i > 0) --i;
    }
  }
  return result;
}

}  // namespace faultline::search
