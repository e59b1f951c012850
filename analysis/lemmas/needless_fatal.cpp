#include "analysis/lemmas/needless_fatal.hpp"

#include <string>
#include <utility>

#include "analysis/lemmas/give_up_condition.hpp"
#include "sim/engine/engine.hpp"

namespace faultline {

bool gives_up_by_messages(const RunSpec& spec) { return condition_of(spec).has_value(); }

bool detector_gave_up(const RunResult& result) {
  return result.outcome == Outcome::fatal_reported && result.fatal_family == Family::termination;
}

void judge_giving_up(const RunSpec& spec, const FactLog& log, RunResult& result) {
  const auto condition = condition_of(spec);
  if (!condition || !detector_gave_up(result)) return;
  if (meets(*condition, log, result.fatal_actor)) return;
  Violation needless{"needless-fatal", log.gave_up()->time_s, result.fatal_actor,
                     "gave up, although nothing that it has been told meets the protocol's "
                     "condition: " +
                         result.fatal_reason};
  result.outcome = with_violation(result.outcome, needless);
  result.violations.push_back(std::move(needless));
}

RunResult judged_simulation(const RunSpec& spec, EngineKind engine, std::uint64_t seed,
                            std::uint64_t replication, Rank who) {
  FactLog log(spec.platform.processes);
  log.keep_only(who);
  RunResult result = run_simulation(spec, engine, seed, replication, &log);
  judge_giving_up(spec, log, result);
  return result;
}

}  // namespace faultline
