// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/advice.hpp"

#include <algorithm>

#include "analysis/advice/daly.hpp"
#include "analysis/advice/pruning.hpp"

namespace faultline::advice {

bool Advice::is_interrupted() const {
  return findings.end == RaceEnd::interrupted || gaps.is_interrupted ||
         sensitivity.is_interrupted || (engine_check && engine_check->is_interrupted) ||
         std::ranges::any_of(
             crossovers, [](const Crossovers& along) { return along.end == RaceEnd::interrupted; });
}

double Advice::events() const {
  double sum = events_for_values + findings.events + gaps.events + sensitivity.events;
  for (const Crossovers& along : crossovers) sum += along.events;
  if (engine_check) sum += engine_check->events;
  return sum;
}

Advice advise(const Question& question, Field& field, store::ResultStore& store,
              const AdvisorSettings& settings) {
  const Resolved resolved = with_daly(question, store, settings);
  if (resolved.is_interrupted) return {.findings = {.end = RaceEnd::interrupted}};
  if (resolved.events > 0) field = pruned_field(resolved.question);
  const Question& asked = resolved.question;
  Advice advice{.findings = find_out(asked, field, store, settings)};
  advice.events_for_values = resolved.events;
  const auto left = [&] {
    return question.settings.budget.value_or(Budget()).events - advice.events();
  };
  if (advice.is_interrupted()) return advice;
  advice.crossovers = crossovers(question, left(), store, settings);
  if (advice.is_interrupted() || settings.is_quick) return advice;
  advice.gaps = gaps(asked, field, advice.findings, left(), store, settings);
  if (advice.is_interrupted()) return advice;
  advice.sensitivity = sensitivity(asked, field, advice.findings, left(), store, settings);
  if (advice.is_interrupted()) return advice;
  advice.engine_check = check_on_simgrid(asked, field, advice.findings, store, settings);
  return advice;
}

}  // namespace faultline::advice
