// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analysis/lemmas/fact_log.hpp"
#include "sim/engine/verdict/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::lemmas {

/// True if it depends on the messages of a run whether its detector may give up. If it depends on
/// the deaths alone, the engines judge it themselves (Registration::may_give_up).
bool gives_up_by_messages(const scenario::RunSpec& spec);

/// True if the detector gave up in a run without violations.
bool detector_gave_up(const engine::RunResult& result);

/// Adds the violation `needless-fatal` to the result if the detector gave up although its
/// GiveUpCondition was not met. `log` must have the facts of the process that gave up.
void judge_giving_up(const scenario::RunSpec& spec, const FactLog& log, engine::RunResult& result);

/// Judges as judge_giving_up does, and also the reverse: adds the violation `not-given-up` if a
/// process met the condition and the run went on. A process that dies at the time at which it meets
/// the condition need not have noticed, so each event must have its own time. `log` must have the
/// facts of all processes.
void judge_both_ways(const scenario::RunSpec& spec, const FactLog& log, engine::RunResult& result);

/// Repeats a run in which process `who` gave up, now with a FactLog, and judges whether it had to.
/// Since only such runs are watched, other runs cost nothing more.
engine::RunResult judged_simulation(const scenario::RunSpec& spec, scenario::EngineKind engine,
                                    std::uint64_t seed, std::uint64_t replication, Rank who);

}  // namespace faultline::lemmas
