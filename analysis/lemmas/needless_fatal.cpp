#include "analysis/lemmas/needless_fatal.hpp"

#include <optional>
#include <string>
#include <utility>

#include "analysis/lemmas/give_up_condition.hpp"
#include "sim/engine/engine.hpp"

namespace faultline {

namespace {

/// Null for detectors that this is not about.
std::optional<GiveUpCondition> condition_of(const RunSpec& spec) {
  const ComponentChoice& detector = spec.component(Family::termination);
  if (detector.registration == nullptr) return std::nullopt;
  const std::string& name = detector.registration->name;
  GiveUpCondition condition{.starts_at_root = job_shape(spec).starts_at_root};
  if (name == "indep") return condition;
  condition.protocol = GiveUpCondition::rel_eager;
  if (name == "rel-eager") return condition;
  if (name != "rel-lazy") return std::nullopt;
  condition.protocol = GiveUpCondition::rel_lazy;
  condition.strict = std::get<std::string>(detector.options.at("adopted_child_fails")) == "strict";
  return condition;
}

}  // namespace

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
