#include "analysis/lemmas/lemma_search.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "analysis/lemmas/engagement_trace.hpp"
#include "analysis/lemmas/fact_log.hpp"
#include "analysis/lemmas/give_up_condition.hpp"
#include "analysis/lemmas/related_failures.hpp"
#include "sim/engine/engine.hpp"

namespace faultline {

namespace {

/// What the run has done against the condition; "" if nothing.
std::string against_condition(const GiveUpCondition& condition, const RunResult& result,
                              const FactLog& log) {
  const std::optional<GivesUp> due = first_to_give_up(condition, log);
  if (result.outcome == Outcome::terminated)
    return due ? "terminated, though " + said(*due) : std::string();
  if (!due) return "given up without need: " + result.fatal_reason;
  const bool then = log.gave_up()->rank == due->rank && log.gave_up()->time_s == due->time_s;
  return then ? "" : "given up elsewhere (" + result.fatal_reason + ") than where " + said(*due);
}

/// What the run has done against the lemmas; "" if nothing.
std::string against_lemmas(const FaultSchedule& schedule, const RelatedFailures& lemma,
                           const RunResult& result, const FactLog& log,
                           const EngagementTrace& trace) {
  if (result.outcome == Outcome::fatal_reported)
    return may_give_up(lemma, schedule, log, trace)
               ? ""
               : "given up, although no failed processes were related: " + result.fatal_reason;
  const double end_s = *result.metrics.values().at("end_time_s");
  return must_give_up(lemma, schedule, log, trace, end_s)
             ? "terminated, though the failed processes were related"
             : "";
}

/// Has the watched detector of each process in the place of the detector.
void watch(RunSpec& spec, Registration& registration,
           const std::shared_ptr<EngagementTrace>& trace) {
  ComponentChoice& detector = spec.components[static_cast<std::size_t>(Family::termination)];
  registration = *detector.registration;
  registration.make = [make = registration.make, trace](const OptionValues& options,
                                                        const JobShape& job) -> ComponentFactory {
    return [factory = make(options, job), trace](ActorId self) {
      return watched(factory(self), self, trace);
    };
  };
  detector.registration = &registration;
}

std::string broken_promise(const FaultSchedule& schedule, const Subject& subject,
                           const RunResult& result, const FactLog& log,
                           const EngagementTrace& trace) {
  if (!result.violations.empty())
    return result.violations.front().kind + ": " + result.violations.front().detail;
  if (log.deaths_s().size() == log.processes()) return "";  // whatever the outcome is called
  if (result.outcome != Outcome::terminated && result.outcome != Outcome::fatal_reported)
    return std::string("the run ended as ") + outcome_word(result.outcome);
  std::string exact = against_condition(condition_of(schedule, subject), result, log);
  if (!exact.empty()) return exact;
  return against_lemmas(schedule, related_failures_of(subject), result, log, trace);
}

}  // namespace

LemmaRun run_lemma(const FaultSchedule& schedule, const Subject& subject, EngineKind engine,
                   const Spoil& spoil) {
  RunSpec spec = run_spec(schedule, subject);
  if (spoil) spoil(spec);
  Registration registration;
  const auto trace = std::make_shared<EngagementTrace>(schedule.processes);
  watch(spec, registration, trace);
  FactLog log(schedule.processes);
  LemmaRun run;
  run.result = run_simulation(spec, engine, schedule.seed, 0, &log);
  run.broken = broken_promise(schedule, subject, run.result, log, *trace);
  run.struck = !log.deaths_s().empty();
  return run;
}

LemmaCounterexample shrink(LemmaCounterexample found, const Judge& judge, std::uint64_t seeds) {
  const auto simplify = [&]() -> bool {
    for (FaultSchedule& simpler : simpler_schedules(found.schedule)) {
      const std::uint64_t first = simpler.seed;
      for (std::uint64_t i = 0; i < seeds; ++i) {
        simpler.seed = first + i;
        std::string broken = judge(simpler);
        if (broken.empty()) continue;
        found = {std::move(simpler), std::move(broken)};
        return true;
      }
    }
    return false;
  };
  while (simplify()) {
  }
  return found;
}

}  // namespace faultline
