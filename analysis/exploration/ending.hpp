// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "analysis/exploration/exploration.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::exploration {

/// How a run ends, in a state from which nothing goes on or in which a promise is broken.
struct Ending {
  engine::Outcome outcome = engine::Outcome::limit;
  std::vector<audit::Violation> violations;
};

/// The end of a run in which an invariant was found broken.
Ending ending_by(const BrokenInvariant& broken);

/// Counts a final state, or keeps the run to it if the search looks for such a state: a broken
/// promise, or the goal. `steps` returns the run.
void take_end(const ExplorationRequest& request, const Ending& ending,
              const std::function<std::vector<Step>()>& steps, ExplorationResult& result);

/// Judges the ends of runs by what no single state shows: whether a detector that gave up had to,
/// and whether one that announced should have given up (analysis/lemmas/give_up_condition). It does
/// not work with patient timers: it needs to know what came before what, and much has the same time
/// there.
class EndingJudge {
 public:
  EndingJudge(const ExplorationRequest& request, std::shared_ptr<const engine::RunJob> job,
              const std::vector<Start>& starts);

  /// Judges the end of a run with that result, after that many deaths. If the verdict depends on
  /// the run that led to it, which `steps` returns, repeats the run under an observer.
  [[nodiscard]] Ending judged(engine::RunResult result, std::uint32_t deaths,
                              const std::function<std::vector<Step>()>& steps);

 private:
  const scenario::RunSpec& spec_;
  const std::vector<Start>& starts_;
  bool needed_;
  engine::StepwiseEngine engine_;
  engine::RunState fresh_;  ///< before the start
};

}  // namespace faultline::exploration
