// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/core/large_pages.hpp"
#include "sim/core/metrics.hpp"
#include "sim/engine/actors/actor_state.hpp"
#include "sim/engine/actors/roll.hpp"
#include "sim/engine/events/schedule.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/truth/ground_truth.hpp"
#include "sim/engine/verdict/run_ending.hpp"
#include "sim/engine/verdict/run_result.hpp"
#include "sim/faults/fault_plan.hpp"

namespace faultline::engine {

/// What the end of a run is judged by.
struct Evidence {
  const LargeVector<ActorState>& actors;
  const Roll& roll;
  const faults::FaultPlan& faults;
  GroundTruth& truth;
  Schedule& schedule;
};

/// Says when a run ends, as its `stop` demands, and how.
class Verdict {
 public:
  /// Both, and all that the evidence names, must outlive it.
  Verdict(const RunJob& job, RunEnding& ending, const Evidence& evidence)
      : job_(job), ending_(ending), see_(evidence) {}

  void stop(Outcome outcome);
  [[nodiscard]] bool has_ended() const { return ending_.has_ended(); }
  /// Has the run ended because all wait, or the end is not announced?
  [[nodiscard]] bool all_wait() const {
    return has_ended() &&
           (ending_.outcome() == Outcome::hung || ending_.outcome() == Outcome::deadlock);
  }
  /// Ends the run if it ends before something that happens at time_s.
  [[nodiscard]] bool ends_before(double time_s);
  /// Ends the run if it has done what it was to do.
  void check();
  /// Ends a run in which nothing but periodic timers is left to happen.
  void conclude();
  /// Ends the run because a component of an actor gives up. `dead`: those whose deaths the actor
  /// has been told of.
  void give_up(const GivenUp& given_up, const std::vector<ActorId>& dead);
  /// True if nothing is left to happen. Under `stop: time` anything keeps a run alive, faults that
  /// are drawn without end, too. Else background timers and messages do so while a detector may
  /// still speak: until it has no reason, or the bound that it states has passed since anything
  /// else happened.
  [[nodiscard]] bool nothing_is_left() const {
    const Schedule& schedule = see_.schedule;
    if (schedule.foreground() > 0) return false;
    if (job_.spec.stop.when == scenario::StopWhen::time)
      return schedule.background() == 0 && schedule.empty();
    return schedule.background() == 0 || detector_is_done(schedule.now_s()) || is_past_bound();
  }
  /// Is the end announced to all?
  [[nodiscard]] bool all_know() const;
  /// The result of the run, but for its metrics. `of_workload`: what the workload has counted;
  /// `missed`: the deaths that the failure detector has missed.
  [[nodiscard]] RunResult result(const MetricTotals& of_workload,
                                 const std::vector<audit::Violation>& missed);

 private:
  [[nodiscard]] bool unannounced() const { return see_.roll.announced() < see_.roll.live(); }
  [[nodiscard]] bool all_know_for_good() const;
  [[nodiscard]] bool all_have_heard() const;
  [[nodiscard]] bool no_news_spreads() const;
  [[nodiscard]] bool word_spreads() const;
  [[nodiscard]] bool dead_were_ahead() const;
  [[nodiscard]] bool awaits_recovery() const;
  [[nodiscard]] bool all_faults_reported() const;
  [[nodiscard]] bool detector_is_done(double now_s) const;
  [[nodiscard]] bool is_past_bound() const;
  [[nodiscard]] double undisturbed_since_s() const;
  [[nodiscard]] bool is_hung_before(double time_s) const;
  [[nodiscard]] double late_since_s() const;
  [[nodiscard]] double hung_since_s(double time_s) const;
  void end_at_limit();
  void describe_stuck(const std::string& kind);
  [[nodiscard]] std::string waiting_restarts() const;
  [[nodiscard]] bool misled(const RunResult& result) const;
  [[nodiscard]] std::optional<std::string> wrong_channel() const;
  void check_end(const MetricTotals& of_workload);
  [[nodiscard]] bool has(Family family) const {
    return job_.spec.component(family).registration != nullptr;
  }

  [[nodiscard]] audit::Auditor& auditor() const { return see_.truth.auditor(); }

  const RunJob& job_;
  RunEnding& ending_;
  const Evidence see_;
};

}  // namespace faultline::engine
