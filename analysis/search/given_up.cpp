// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/given_up.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/lemmas/block_promise.hpp"
#include "analysis/lemmas/recovery_promise.hpp"
#include "analysis/search/long_times.hpp"
#include "analysis/search/made_run.hpp"
#include "analysis/search/unpromised.hpp"
#include "sim/engine/engine.hpp"

namespace faultline::search {

namespace {

/// The scenario with timeouts that are never too short for the program. Nothing if a component
/// takes so much time that none is long enough.
std::optional<scenario::Scenario> with_long_timeouts(const scenario::Scenario& scenario) {
  constexpr double kTimeout_s = 1e6;
  constexpr double kTimes = 100;  // the longest time, this many times in a row
  scenario::Scenario patient = scenario;
  scenario::RunSpec& spec = patient.points.front();
  if (longest_time_s(spec) * kTimes > kTimeout_s) return std::nullopt;
  spec.stop.time_s = std::max(spec.stop.time_s, 10 * kTimeout_s);
  for (auto& [name, value] : spec.components[index_of(Family::transactions)].options)
    if (is_timeout(name)) value = kTimeout_s;
  return patient;
}

/// A program of TryBlocks may be given up for the reasons on the pages of the protocols, if they
/// hold. Nobody can tell from outside whether a timeout was long enough.
std::optional<Finding> against_blocks_given_up(const scenario::Scenario& scenario) {
  const std::optional<scenario::Scenario> patient = with_long_timeouts(scenario);
  if (!patient) return std::nullopt;
  const scenario::RunSpec& spec = patient->points.front();
  const std::optional<lemmas::BlockPromise> promise = lemmas::block_promise_of(spec);
  if (!promise || !spec.fault_sources.empty() || spec.is_ever_cut()) return std::nullopt;
  lemmas::BlockLog log(spec.platform.processes, spec.component(Family::transactions));
  const engine::RunResult result =
      engine::run_simulation(spec, scenario::EngineKind::loggp, patient->seed, 0, &log);
  // A termination detector gives up for its own reasons.
  const bool is_given_up =
      result.outcome == engine::Outcome::fatal_reported &&
      (result.fatal_family == Family::workload || result.fatal_family == Family::transactions);
  if (!is_given_up) return std::nullopt;
  const auto broken = lemmas::against_blocks(*promise, result, log);
  if (!broken) return std::nullopt;
  // While it waits for longer, more can happen that no protocol promises to bear.
  const runs::ReplicationRecord record = made_run(*patient);
  if (record.run && (has_false_report(*record.run) || is_unpromised(*patient, *record.run)))
    return std::nullopt;
  return Finding{"needless-fatal", broken->text};
}

/// True if no node may be left on which a process can come back.
bool nodes_can_run_out(const scenario::RunSpec& spec) {
  std::size_t nodes = 0;
  for (const faults::FaultSpec& fault : spec.faults)
    nodes += fault.nodes.size() + fault.daemons.size();
  return !spec.fault_sources.empty() || (nodes > 0 && nodes >= spec.platform.spare_nodes);
}

/// Message logging may give up if the image of a rank is lost, and, for protocols that declare it,
/// if recoveries overlap.
std::optional<Finding> against_logging_given_up(const scenario::Scenario& scenario,
                                                const runs::RunRecord& run) {
  const scenario::RunSpec& spec = scenario.points.front();
  const Registration* const logging = spec.component(Family::message_logging).registration;
  if (logging == nullptr || scenario.engine != scenario::EngineKind::loggp ||
      nodes_can_run_out(spec))
    return std::nullopt;
  lemmas::RecoveryLog log(spec.platform.processes, *logging);
  const engine::RunResult result =
      engine::run_simulation(spec, scenario.engine, scenario.seed, 0, &log);
  if (result.fatal_reason != run.fatal_reason)
    return Finding{"not deterministic", "an observer changes why the run is given up: " +
                                            run.fatal_reason + "; " + result.fatal_reason};
  if (result.fatal_family != Family::message_logging) return std::nullopt;
  if (const auto broken = lemmas::against_recovery(
          {.survives_overlaps = !logging->as<RecoveryTraits>().recovers_singly}, result, log))
    return Finding{"needless-fatal", broken->text};
  return std::nullopt;
}

}  // namespace

std::optional<Finding> against_giving_up(const scenario::Scenario& scenario,
                                         const runs::RunRecord& run) {
  const scenario::RunSpec& spec = scenario.points.front();
  if (was_in_peace(spec, run)) {
    // A protocol that gives up because a request has timed out does not do so if it waits longer.
    const std::optional<scenario::Scenario> patient = with_long_timeouts(scenario);
    if (!patient) return std::nullopt;
    const runs::ReplicationRecord again = made_run(*patient);
    // While it waits for longer, a live process may be declared dead.
    if (again.run && again.run->outcome == engine::Outcome::fatal_reported &&
        was_in_peace(spec, *again.run) && !is_unpromised(*patient, *again.run))
      return Finding{"gives up in peace", run.fatal_reason};
    return std::nullopt;
  }
  // To give up because of a report is right, be it false, and the conditions below count deaths.
  if (has_false_report(run)) return std::nullopt;
  const bool is_logged = spec.component(Family::message_logging).registration != nullptr;
  if (!is_logged && spec.component(Family::workload).registration->as<WorkloadTraits>().try_blocks)
    return against_blocks_given_up(scenario);
  return against_logging_given_up(scenario, run);
}

}  // namespace faultline::search
