// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline::advice {

/// The mean of a metric that whoever is advised must keep to. At least one bound is set.
struct Requirement {
  std::string metric;
  std::optional<double> at_least;
  std::optional<double> at_most;
};

/// "completed at least 0.95".
std::string requirement_text(const Requirement& requirement);

/// Whether the mean of the objective counts this run. A run that has not completed its program says
/// nothing of what completing it costs.
bool counts(const runs::RunRecord& run, const std::string& objective);

/// By what a race is decided.
struct RaceRules {
  std::string objective;  ///< a metric, of which the best mean wins
  bool higher_is_better = false;
  std::vector<Requirement> require;
  double confidence = 0.95;         ///< that the answer is right, over all looks and pairs together
  double equivalent_within = 0.02;  ///< a difference of this share of the leader's mean is none
};

/// How a contestant stands after a look.
enum class Standing {
  leads,       ///< the best mean of those that still race
  races,       ///< nothing is shown yet
  equivalent,  ///< it differs from the leader by less than counts
  behind,      ///< it is shown to be worse than one that leads, or has led
  unfit,       ///< it is shown to break a requirement, or has no objective
};

/// "leads", "races", "equivalent", "behind" or "unfit".
const char* standing_word(Standing standing);

/// What a race knows of one contestant.
struct Contestant {
  Standing standing = Standing::races;
  std::size_t runs = 0;  ///< that the race has seen
  /// The mean of the objective over the runs that completed their program. Its interval is of 95 %
  /// and decides nothing.
  statistics::Summary objective = {};
  /// How much larger its objective is than that of `against`. Its interval is as wide as the
  /// decision of that look needs.
  std::optional<statistics::Summary> difference = {};
  std::optional<std::size_t> against = {};  ///< the leader, or the one that it is behind
  /// The mean of the metric of each requirement, with intervals of 95 %.
  std::vector<statistics::Summary> required = {};
  bool meets_all = false;  ///< it is shown to keep to every requirement
  std::string why_unfit = {};
  std::size_t looks = 0;  ///< until the look at which it was behind or unfit
};

/// Races contestants on common random numbers: all that still race get as many runs, then the race
/// looks at all runs so far and drops whoever is shown to be worse, and so on (docs/advise.md).
///
/// The error of all looks together is at most 1 - confidence: the k-th look may spend 1 / (k (k +
/// 1)) of it, half on requirements, if there are any, and the rest on differences, and shares that
/// among its intervals (Bonferroni). So it does not matter when the race ends, or why.
class Race {
 public:
  Race(RaceRules rules, std::size_t contestants);

  /// Looks at the first runs of each contestant, in the order of their replications. Those that no
  /// longer race may have fewer. Once dropped, they come back only if whoever they were behind
  /// turns out to be unfit.
  void look(const std::vector<std::vector<runs::RunRecord>>& runs);

  /// Drops a contestant for good whose runs fail.
  void exclude(std::size_t contestant, std::string why);

  [[nodiscard]] const RaceRules& rules() const { return rules_; }
  [[nodiscard]] const std::vector<Contestant>& contestants() const { return contestants_; }
  [[nodiscard]] bool is_racing(std::size_t contestant) const;
  [[nodiscard]] std::optional<std::size_t> leader() const { return leader_; }
  [[nodiscard]] std::size_t looks() const { return looks_; }
  /// True if nothing is left to find out: the leader keeps to all requirements, and all others are
  /// behind, unfit or equivalent; or nobody is fit.
  [[nodiscard]] bool is_decided() const;

 private:
  [[nodiscard]] double spent_by_look() const;
  void judge_requirements(const std::vector<std::vector<runs::RunRecord>>& runs);
  void bring_back();
  void choose_leader();
  void compare_with_leader();

  RaceRules rules_;
  std::vector<Contestant> contestants_;
  std::vector<std::vector<runs::RunRecord>> completed_;  ///< the runs that have an objective
  std::optional<std::size_t> leader_;
  std::size_t looks_ = 0;
};

}  // namespace faultline::advice
