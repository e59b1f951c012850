#include "analysis/lemma_search.hpp"

#include <optional>
#include <utility>

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

}  // namespace

std::string broken_promise(const GiveUpCondition& condition, const RunResult& result,
                           const FactLog& log) {
  if (!result.violations.empty())
    return result.violations.front().kind + ": " + result.violations.front().detail;
  if (result.outcome == Outcome::finished && log.dead().size() == log.processes()) return "";
  if (result.outcome == Outcome::terminated || result.outcome == Outcome::fatal_reported)
    return against_condition(condition, result, log);
  return std::string("the run ended as ") + outcome_word(result.outcome);
}

LemmaRun run_lemma(const FaultSchedule& schedule, const Subject& subject, EngineKind engine,
                   const Spoil& spoil) {
  RunSpec spec = run_spec(schedule, subject);
  if (spoil) spoil(spec);
  FactLog log(schedule.processes);
  LemmaRun run;
  run.result = run_simulation(spec, engine, schedule.seed, 0, &log);
  run.broken = broken_promise(condition_of(schedule, subject), run.result, log);
  run.struck = !log.dead().empty();
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
