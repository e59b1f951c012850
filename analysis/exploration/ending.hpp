#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analysis/exploration/exploration.hpp"
#include "analysis/lemmas/give_up_condition.hpp"

namespace faultline {

/// How a run ends in a state from which nothing goes on, or in which a promise is broken.
struct Ending {
  Outcome outcome = Outcome::limit;
  std::vector<Violation> violations;
};

/// Judges the ends of runs by what no single state shows: whether a detector that gave up had to,
/// and whether one that announced should have given up (analysis/lemmas/give_up_condition).
class EndingJudge {
 public:
  EndingJudge(const ExplorationRequest& request, std::shared_ptr<const RunJob> job,
              const std::vector<std::vector<Cut>>& starts);

  /// Does the verdict on such an end depend on the run that led to it?
  [[nodiscard]] bool must_see_run(const RunResult& result, std::uint32_t deaths) const;

  /// Repeats the run under an observer, and adds what it finds to the ending.
  void judge(const std::vector<Step>& steps, Ending& ending);

 private:
  std::shared_ptr<const RunJob> job_;
  const std::vector<std::vector<Cut>>& starts_;
  std::optional<GiveUpCondition> condition_;
};

}  // namespace faultline
