#include "analysis/exploration/ending.hpp"

#include <utility>

#include "analysis/lemmas/fact_log.hpp"

namespace faultline {

namespace {

/// Long enough to tell two steps from each other by their times.
constexpr double kStep_s = 1e-3;

}  // namespace

EndingJudge::EndingJudge(const ExplorationRequest& request, std::shared_ptr<const RunJob> job,
                         const std::vector<std::vector<Cut>>& starts)
    : job_(std::move(job)), starts_(starts), condition_(condition_of(request.spec)) {}

bool EndingJudge::must_see_run(const RunResult& result, std::uint32_t deaths) const {
  if (!condition_ || deaths == 0 || !result.violations.empty()) return false;
  return result.outcome == Outcome::terminated ||
         (result.outcome == Outcome::fatal_reported && result.fatal_family == Family::termination);
}

void EndingJudge::judge(const std::vector<Step>& steps, Ending& ending) {
  FactLog log(job_->shape.processes);
  StepwiseEngine engine(job_);
  engine.set_step_time(kStep_s);
  engine.observe(log);
  take_steps(engine, steps, starts_);
  const std::optional<GivesUp> due = first_to_give_up(*condition_, log);
  if (ending.outcome == Outcome::terminated) {
    if (!due) return;
    ending.violations.push_back({.kind = "not-given-up",
                                 .time_s = due->time_s,
                                 .actor = due->rank,
                                 .detail = "announced, although " + said(*due)});
  } else {
    const auto& gave_up = log.gave_up();
    if (due && due->rank == gave_up->rank && due->time_s == gave_up->time_s) return;
    ending.violations.push_back(
        {.kind = "needless-fatal",
         .time_s = gave_up->time_s,
         .actor = gave_up->rank,
         .detail = due ? "gave up elsewhere than where " + said(*due)
                       : "gave up, although nothing that it has been told meets the protocol's "
                         "condition"});
  }
  ending.outcome = with_violation(ending.outcome, ending.violations.back());
}

}  // namespace faultline
