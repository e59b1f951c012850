// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/needless_fatal.hpp"

#include <optional>
#include <string>
#include <utility>

#include "analysis/lemmas/give_up_condition.hpp"
#include "sim/engine/engine.hpp"

namespace faultline::lemmas {

namespace {

/// The process that had to give up first, and lived to do it.
std::optional<GivesUp> first_due(const GiveUpCondition& condition, const FactLog& log) {
  std::optional<GivesUp> first;
  for (Rank rank = 0; rank < log.processes(); ++rank) {
    const std::optional<GivesUp> due = gives_up_at(condition, log, rank);
    if (!due || (first && first->number < due->number)) continue;
    const auto death = log.deaths_s().find(rank);
    if (death == log.deaths_s().end() || death->second > due->time_s) first = due;
  }
  return first;
}

/// Adds a violation to the result. If it comes after a false report, that is blamed.
void add(audit::Violation violation, const FactLog& log, engine::RunResult& result) {
  result.outcome = engine::with_violation(result.outcome, violation);
  const bool is_misled = violation.time_s >= log.first_false_report_s();
  if (is_misled && engine::is_broken_promise(result.outcome))
    result.outcome = engine::Outcome::unsafe_detector;
  result.violations.push_back(std::move(violation));
}

}  // namespace

bool gives_up_by_messages(const scenario::RunSpec& spec) { return condition_of(spec).has_value(); }

bool detector_gave_up(const engine::RunResult& result) {
  return result.outcome == engine::Outcome::fatal_reported &&
         result.fatal_family == Family::termination;
}

void judge_giving_up(const scenario::RunSpec& spec, const FactLog& log, engine::RunResult& result) {
  const auto condition = condition_of(spec);
  if (!condition || !detector_gave_up(result)) return;
  if (meets(*condition, log, result.fatal_actor)) return;
  audit::Violation needless{"needless-fatal", log.gave_up()->time_s, result.fatal_actor,
                            "gave up, although nothing that it has been told meets the protocol's "
                            "condition: " +
                                result.fatal_reason};
  add(std::move(needless), log, result);
}

void judge_both_ways(const scenario::RunSpec& spec, const FactLog& log, engine::RunResult& result) {
  const auto condition = condition_of(spec);
  if (!condition || !result.violations.empty()) return;
  if (result.outcome != engine::Outcome::terminated && !detector_gave_up(result)) return;
  judge_giving_up(spec, log, result);
  if (!result.violations.empty()) return;
  const std::optional<GivesUp> due = first_due(*condition, log);
  if (!due || (log.gave_up() && log.gave_up()->rank == due->rank)) return;
  audit::Violation missed{"not-given-up", due->time_s, due->rank,
                          "the run went on, although rank " + said(*due)};
  add(std::move(missed), log, result);
}

engine::RunResult judged_simulation(const scenario::RunSpec& spec, scenario::EngineKind engine,
                                    std::uint64_t seed, std::uint64_t replication, Rank who) {
  FactLog log(spec.platform.processes);
  log.keep_only(who);
  engine::RunResult result = engine::run_simulation(spec, engine, seed, replication, &log);
  judge_giving_up(spec, log, result);
  return result;
}

}  // namespace faultline::lemmas
