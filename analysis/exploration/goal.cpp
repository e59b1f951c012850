// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/goal.hpp"

#include <algorithm>
#include <stdexcept>

namespace faultline::exploration {

namespace {

/// The kinds of violations that are no outcome (docs/exit-codes.md), except those that a workload
/// declares.
constexpr const char* kKinds[] = {"not-given-up",         "needless-fatal",   "credit",
                                  "message-conservation", "broken-invariant", "broken-property",
                                  "false-report",         "repeated-report"};

std::vector<std::string> end_words(const scenario::RunSpec& spec) {
  std::vector<std::string> words = engine::outcome_words();
  words.insert(words.end(), std::begin(kKinds), std::end(kKinds));
  if (const Registration* workload = spec.component(Family::workload).registration)
    for (const EndCheck& check : workload->as<WorkloadTraits>().end_checks)
      words.push_back(check.violation);
  return words;
}

}  // namespace

std::optional<engine::DeclaredProperty> find_property(const scenario::RunSpec& spec,
                                                      const std::string& name) {
  for (const engine::DeclaredProperty& declared : engine::properties_of(spec))
    if (declared.property->name == name) return declared;
  return std::nullopt;
}

std::vector<std::string> goal_words(const scenario::RunSpec& spec) {
  std::vector<std::string> words;
  for (const engine::DeclaredProperty& declared : engine::properties_of(spec))
    words.push_back(declared.property->name);
  const std::vector<std::string> ends = end_words(spec);
  words.insert(words.end(), ends.begin(), ends.end());
  return words;
}

Goal goal_named(const scenario::RunSpec& spec, const std::string& name) {
  const std::vector<std::string> words = goal_words(spec);
  if (std::find(words.begin(), words.end(), name) == words.end())
    throw std::invalid_argument("no such goal: " + name);
  return {.name = name, .property = find_property(spec, name)};
}

bool is_reached_by(const Goal& goal, const Ending& ending) {
  if (goal.property) return false;
  return goal.name == engine::outcome_word(ending.outcome) ||
         std::any_of(
             ending.violations.begin(), ending.violations.end(),
             [&](const audit::Violation& violation) { return violation.kind == goal.name; });
}

}  // namespace faultline::exploration
