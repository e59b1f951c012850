// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/admitted_scenario.hpp"

#include <cstdlib>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

namespace {

/// The place of the front end's first complaint; nothing if it takes the scenario.
std::optional<std::string> refused_place(const json::JsonValue& scenario) {
  const std::string file = "search.json";
  try {
    scenario::parse_scenario(json::to_json(scenario), file);
  } catch (const UsageError& error) {
    const std::string text = error.what();
    const std::size_t begin = file.size() + 2;
    const std::size_t end = text.find(": ", begin);
    if (text.starts_with(file + ": ") && end != std::string::npos)
      return text.substr(begin, end - begin);
  } catch (const std::exception&) {
    return std::nullopt;  // the judge meets the same error
  }
  return std::nullopt;
}

/// The keys and numbers of a place: "faults", "at", "1" and "soft" of "faults.at[1].soft".
std::vector<std::string> steps_of(const std::string& place) {
  std::vector<std::string> steps(1);
  for (const char letter : place) {
    if (letter != '.' && letter != '[' && letter != ']')
      steps.back() += letter;
    else if (!steps.back().empty())
      steps.emplace_back();
  }
  if (steps.back().empty()) steps.pop_back();
  return steps;
}

/// Takes out what is at this place, and a list that becomes empty. Returns true if something was
/// there, and what remains is a scenario.
bool take_out(json::JsonValue& json, std::span<const std::string> steps) {
  if (steps.empty()) return false;
  const std::string& step = steps.front();
  json::JsonValue::List* const list = json.list();
  const std::size_t index = list == nullptr ? 0 : std::strtoul(step.c_str(), nullptr, 10);
  json::JsonValue* inner = nullptr;
  if (list != nullptr)
    inner = index < list->size() ? &(*list)[index] : nullptr;
  else if (json.object() != nullptr)
    inner = json.find(step);
  if (inner == nullptr) return false;
  if (steps.size() > 1) {
    if (!take_out(*inner, steps.subspan(1))) return false;
    if (inner->list() == nullptr || !inner->list()->empty()) return true;
  } else if (step == "name") {
    return false;
  }
  if (list != nullptr)
    list->erase(list->begin() + static_cast<std::ptrdiff_t>(index));
  else
    std::erase_if(*json.object(),
                  [&](const json::JsonMember& member) { return member.key == step; });
  return true;
}

}  // namespace

json::JsonValue admitted(json::JsonValue scenario) {
  constexpr int kMostRefusals = 12;
  for (int refusals = 0; refusals < kMostRefusals; ++refusals) {
    const std::optional<std::string> place = refused_place(scenario);
    json::JsonValue without = scenario;
    if (!place || !take_out(without, steps_of(*place))) break;
    if (refused_place(without) == place) break;  // the scenario needs it
    scenario = std::move(without);
  }
  return scenario;
}

}  // namespace faultline::search
