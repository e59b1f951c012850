// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/lemma_search.hpp"

#include <memory>
#include <string>
#include <utility>

#include "analysis/lemmas/block_promise.hpp"
#include "analysis/lemmas/engagement_history.hpp"
#include "analysis/lemmas/fact_log.hpp"
#include "analysis/lemmas/give_up_condition.hpp"
#include "analysis/lemmas/related_failures.hpp"
#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"

namespace faultline::lemmas {

namespace {

using Broken = std::optional<BrokenPromise>;

/// What an adoption protocol promises beyond the promises of every stack.
struct AdoptionPromise {
  GiveUpCondition condition;
  RelatedFailures lemma;
};

std::optional<AdoptionPromise> adoption_promise_of(const scenario::RunSpec& spec) {
  const auto condition = condition_of(spec);
  if (!condition) return std::nullopt;
  return AdoptionPromise{*condition, related_failures_of(spec.component(Family::termination))};
}

Broken needlessly(std::string text) {
  return BrokenPromise{LemmaFigure::given_up, std::move(text)};
}

Broken though(const std::string& reason) {
  return BrokenPromise{LemmaFigure::not_given_up, "terminated, though " + reason};
}

Broken against_condition(const GiveUpCondition& condition, const engine::RunResult& result,
                         const FactLog& log) {
  const std::optional<GivesUp> due = first_to_give_up(condition, log);
  if (result.outcome == engine::Outcome::terminated) return due ? though(said(*due)) : Broken();
  if (!due) return needlessly("given up without need: " + result.fatal_reason);
  const bool then = log.gave_up()->rank == due->rank && log.gave_up()->time_s == due->time_s;
  if (then) return std::nullopt;
  return needlessly("given up elsewhere (" + result.fatal_reason + ") than where " + said(*due));
}

Broken against_lemmas(const FaultSchedule& schedule, const RelatedFailures& lemma,
                      const engine::RunResult& result, const FactLog& log,
                      const EngagementHistory& history) {
  if (result.outcome == engine::Outcome::fatal_reported) {
    if (may_give_up(lemma, schedule, log, history)) return std::nullopt;
    return needlessly("given up, although no failed processes were related: " +
                      result.fatal_reason);
  }
  const double end_s = *result.metrics.values().at("end_time_s");
  if (!must_give_up(lemma, schedule, log, history, end_s)) return std::nullopt;
  return though("the failed processes were related");
}

/// Replaces the detector of each process by a watched one.
void watch(scenario::RunSpec& spec, Registration& registration,
           const std::shared_ptr<EngagementHistory>& history) {
  scenario::ComponentChoice& detector =
      spec.components[static_cast<std::size_t>(Family::termination)];
  registration = *detector.registration;
  registration.make = [make = registration.make, history](const OptionValues& options,
                                                          const JobShape& job) -> ComponentFactory {
    return [factory = make(options, job), history](ActorId self) {
      return watched(factory(self), self, history);
    };
  };
  detector.registration = &registration;
}

/// True if the run ended in an allowed way. Giving up is one; whether the detector had to give up
/// is judged elsewhere.
bool ended_as_it_should(const engine::RunResult& result, scenario::StopWhen stop_when) {
  const bool announced = stop_when == scenario::StopWhen::announced;
  return result.outcome == (announced ? engine::Outcome::terminated : engine::Outcome::finished) ||
         result.outcome == engine::Outcome::fatal_reported;
}

/// What every stack promises.
Broken against_everybody(const engine::RunResult& result, scenario::StopWhen stop_when) {
  if (!result.violations.empty()) return promise_broken_by(result.violations.front());
  if (ended_as_it_should(result, stop_when)) return std::nullopt;
  return BrokenPromise{LemmaFigure::other,
                       std::string("the run ended as ") + engine::outcome_word(result.outcome)};
}

Broken broken_promise(const FaultSchedule& schedule, scenario::StopWhen stop_when,
                      const std::optional<AdoptionPromise>& adoption,
                      const engine::RunResult& result, const FactLog& log,
                      const EngagementHistory& history) {
  // If all processes are dead, the reported outcome does not matter.
  const bool all_dead = log.deaths_s().size() == log.processes();
  if (all_dead && result.violations.empty()) return std::nullopt;
  Broken broken = against_everybody(result, stop_when);
  if (broken || !adoption) return broken;
  broken = against_condition(adoption->condition, result, log);
  if (broken) return broken;
  return against_lemmas(schedule, adoption->lemma, result, log, history);
}

/// Runs a schedule under a log that sees the deaths. `judge` returns the broken promise, if any.
template <class Log, class Judge>
LemmaRun run_logged(const FaultSchedule& schedule, scenario::RunSpec& spec,
                    scenario::EngineKind engine, Log log, const Judge& judge) {
  spec.checks_state = true;
  LemmaRun run;
  try {
    run.result = engine::run_simulation(spec, engine, schedule.seed, 0, &log);
    run.broken = judge(run.result, log);
  } catch (const BrokenInvariant& broken) {
    run.broken = promise_broken_by(broken);
  }
  run.struck = log.any_death();
  return run;
}

LemmaRun run_detection(const FaultSchedule& schedule, const DetectionPromise& promise,
                       scenario::RunSpec& spec, scenario::EngineKind engine) {
  return run_logged(schedule, spec, engine, DetectionLog(schedule.processes),
                    [&](const engine::RunResult& result, const DetectionLog& log) {
                      return against_detection(promise, result, log);
                    });
}

LemmaRun run_recovery(const FaultSchedule& schedule, const RecoveryPromise& promise,
                      scenario::RunSpec& spec, scenario::EngineKind engine) {
  return run_logged(
      schedule, spec, engine,
      RecoveryLog(schedule.processes, *spec.component(Family::message_logging).registration),
      [&](const engine::RunResult& result, const RecoveryLog& log) {
        return against_recovery(promise, result, log);
      });
}

LemmaRun run_blocks(const FaultSchedule& schedule, const BlockPromise& promise,
                    scenario::RunSpec& spec, scenario::EngineKind engine) {
  return run_logged(schedule, spec, engine,
                    BlockLog(schedule.processes, spec.component(Family::transactions)),
                    [&](const engine::RunResult& result, const BlockLog& log) {
                      return against_blocks(promise, result, log);
                    });
}

}  // namespace

LemmaRun run_lemma(const FaultSchedule& schedule, const ProtocolStack& stack,
                   scenario::EngineKind engine, const Mutation& mutation) {
  scenario::RunSpec spec = run_spec(schedule, stack);
  const auto adoption = adoption_promise_of(spec);
  const auto blocks = block_promise_of(spec);
  if (mutation) mutation(spec);
  if (stack.detection) {
    DetectionPromise promise = stack.detection(schedule);
    promise.until_s = spec.stop.time_s;
    return run_detection(schedule, promise, spec, engine);
  }
  if (stack.recovery) return run_recovery(schedule, *stack.recovery, spec, engine);
  if (blocks) return run_blocks(schedule, *blocks, spec, engine);
  Registration registration;
  const auto history = std::make_shared<EngagementHistory>(schedule.processes);
  if (adoption) watch(spec, registration, history);
  spec.checks_state = true;
  FactLog log(schedule.processes);
  LemmaRun run;
  try {
    run.result = engine::run_simulation(spec, engine, schedule.seed, 0, &log);
    run.broken = broken_promise(schedule, stack.stop_when, adoption, run.result, log, *history);
  } catch (const BrokenInvariant& broken) {
    run.broken = promise_broken_by(broken);
  }
  run.struck = !log.deaths_s().empty();
  return run;
}

LemmaCounterexample shrink(LemmaCounterexample found, const Judge& judge, std::uint64_t seeds) {
  const auto simplify = [&]() -> bool {
    for (FaultSchedule& simpler : simpler_schedules(found.schedule)) {
      const std::uint64_t first = simpler.seed;
      for (std::uint64_t i = 0; i < seeds; ++i) {
        simpler.seed = first + i;
        Broken broken = judge(simpler);
        if (!broken) continue;
        found = {std::move(simpler), *std::move(broken)};
        return true;
      }
    }
    return false;
  };
  while (simplify()) {
  }
  return found;
}

}  // namespace faultline::lemmas
