// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/ending.hpp"

#include <utility>

#include "analysis/exploration/goal.hpp"
#include "analysis/lemmas/fact_log.hpp"
#include "analysis/lemmas/needless_fatal.hpp"

namespace faultline::exploration {

namespace {

/// Long enough to tell two steps apart by their times.
constexpr double kEndingStep_s = 1e-3;

}  // namespace

Ending ending_by(const BrokenInvariant& broken) {
  return {.outcome = engine::Outcome::violated,
          .violations = {{.kind = "broken-invariant",
                          .time_s = 0.0,
                          .actor = std::nullopt,
                          .detail = broken.what()}}};
}

void take_end(const ExplorationRequest& request, const Ending& ending,
              const std::function<std::vector<Step>()>& steps, ExplorationResult& result) {
  const auto run = [&] {
    return Refutation{.outcome = ending.outcome, .violations = ending.violations, .steps = steps()};
  };
  const bool is_broken = !ending.violations.empty();
  if (request.goal && is_reached_by(*request.goal, ending))
    result.reached = run();
  else if (is_broken && !request.goal)
    result.refutation = run();
  else
    ++result
          .ends[is_broken ? ending.violations.front().kind : engine::outcome_word(ending.outcome)];
}

EndingJudge::EndingJudge(const ExplorationRequest& request,
                         std::shared_ptr<const engine::RunJob> job,
                         const std::vector<Start>& starts)
    : spec_(request.spec),
      starts_(starts),
      needed_(request.timers == TimerRule::any && lemmas::gives_up_by_messages(request.spec)),
      engine_(std::move(job)),
      fresh_(engine_.state().copy()) {
  follow(engine_, request);
  engine_.set_step_time(kEndingStep_s);
}

Ending EndingJudge::judged(engine::RunResult result, std::uint32_t deaths,
                           const std::function<std::vector<Step>()>& steps) {
  const bool by_run =
      result.outcome == engine::Outcome::terminated || lemmas::detector_gave_up(result);
  if (needed_ && deaths > 0 && by_run && result.violations.empty()) {
    lemmas::FactLog log(spec_.platform.processes);
    engine_.observe(log);
    engine_.go_on_from(fresh_);
    for (const Step& step : steps()) take_step(engine_, step, starts_);
    lemmas::judge_both_ways(spec_, log, result);
  }
  return {.outcome = result.outcome, .violations = std::move(result.violations)};
}

}  // namespace faultline::exploration
