#pragma once

#include <cstdint>

#include "analysis/lemmas/fact_log.hpp"
#include "sim/engine/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// Does a run's detector have a condition for giving up that depends on the messages of a run?
/// What depends on the deaths alone the engines judge themselves (Registration::may_give_up).
bool gives_up_by_messages(const RunSpec& spec);

/// Has the detector given up, and is nothing known against it?
bool detector_gave_up(const RunResult& result);

/// Where the detector of a run has given up though its GiveUpCondition is not met, adds that
/// violation to the result: `log` has the facts of the one that did so, and of no other.
void judge_giving_up(const RunSpec& spec, const FactLog& log, RunResult& result);

/// Simulates as run_simulation does where it is known from a run before that this process gives up,
/// and judges that: so a run that goes well need not be watched.
RunResult judged_simulation(const RunSpec& spec, EngineKind engine, std::uint64_t seed,
                            std::uint64_t replication, Rank who);

}  // namespace faultline
