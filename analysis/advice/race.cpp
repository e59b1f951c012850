// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/race.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/run_estimates.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::advice {

namespace {

using runs::RunRecord;

std::vector<RunRecord> those_that_count(const std::vector<RunRecord>& runs,
                                        const std::string& objective) {
  std::vector<RunRecord> list;
  for (const RunRecord& run : runs)
    if (counts(run, objective)) list.push_back(run);
  return list;
}

/// What an interval says of a requirement.
enum class Kept { yes, no, open };

Kept kept(const Requirement& requirement, const std::optional<statistics::Interval>& interval) {
  if (!interval) return Kept::open;
  const bool is_below = requirement.at_least && interval->high < *requirement.at_least;
  const bool is_above = requirement.at_most && interval->low > *requirement.at_most;
  if (is_below || is_above) return Kept::no;
  const bool is_enough = !requirement.at_least || interval->low >= *requirement.at_least;
  const bool is_little = !requirement.at_most || interval->high <= *requirement.at_most;
  return is_enough && is_little ? Kept::yes : Kept::open;
}

}  // namespace

bool counts(const RunRecord& run, const std::string& objective) {
  if (objective == runs::kCompleted) return true;
  return run.number(runs::kCompleted).value_or(1.0) != 0.0 && run.number(objective);
}

std::string requirement_text(const Requirement& requirement) {
  std::string text = requirement.metric;
  if (requirement.at_least) text += " at least " + json::shortest(*requirement.at_least);
  if (requirement.at_least && requirement.at_most) text += " and";
  if (requirement.at_most) text += " at most " + json::shortest(*requirement.at_most);
  return text;
}

const char* standing_word(Standing standing) {
  constexpr std::array kWords{"leads", "races", "equivalent", "behind", "unfit"};
  return kWords[static_cast<std::size_t>(standing)];
}

Race::Race(RaceRules rules, std::size_t contestants)
    : rules_(std::move(rules)), contestants_(contestants) {}

bool Race::is_racing(std::size_t contestant) const {
  const Standing standing = contestants_[contestant].standing;
  return standing != Standing::behind && standing != Standing::unfit;
}

void Race::look(const std::vector<std::vector<RunRecord>>& runs) {
  ++looks_;
  completed_.clear();
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    completed_.push_back(those_that_count(runs[i], rules_.objective));
    contestants_[i].runs = runs[i].size();
    contestants_[i].objective = runs::mean_of(completed_[i], rules_.objective);
  }
  judge_requirements(runs);
  bring_back();
  choose_leader();
  compare_with_leader();
}

void Race::exclude(std::size_t contestant, std::string why) {
  contestants_[contestant].standing = Standing::unfit;
  contestants_[contestant].why_unfit = std::move(why);
  contestants_[contestant].looks = looks_;
}

/// What this look may spend of the probability of an error.
double Race::spent_by_look() const {
  const auto look = static_cast<double>(looks_);
  return (1.0 - rules_.confidence) / (look * (look + 1));
}

/// Whoever is shown to break a requirement at one look stays so. Whoever completes no run at all
/// has nothing to be ranked by, but may be unlucky, so that it takes a requirement to drop it.
void Race::judge_requirements(const std::vector<std::vector<RunRecord>>& runs) {
  const auto intervals =
      static_cast<double>(contestants_.size() * std::max<std::size_t>(1, rules_.require.size()));
  const double outside = spent_by_look() / 2 / intervals;
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    Contestant& contestant = contestants_[i];
    contestant.required.clear();
    bool meets_all = true;
    for (const Requirement& requirement : rules_.require) {
      contestant.required.push_back(runs::mean_of(runs[i], requirement.metric));
      const Kept is =
          kept(requirement, runs::mean_of(runs[i], requirement.metric, outside).confidence_95);
      meets_all = meets_all && is == Kept::yes;
      if (is != Kept::no || !is_racing(i)) continue;
      contestant.standing = Standing::unfit;
      contestant.why_unfit = "does not keep to " + requirement_text(requirement);
      contestant.looks = looks_;
    }
    contestant.meets_all = contestant.meets_all || meets_all;
  }
}

/// Whoever was dropped for one that is unfit may be the best of those that are fit.
void Race::bring_back() {
  for (bool any = true; any;) {
    any = false;
    for (Contestant& contestant : contestants_) {
      if (contestant.standing != Standing::behind) continue;
      if (contestants_[*contestant.against].standing != Standing::unfit) continue;
      contestant.standing = Standing::races;
      contestant.against.reset();
      contestant.difference.reset();
      any = true;
    }
  }
}

/// The best mean leads. Among those whose means differ from it by less than counts, whoever has
/// completed most leads: the runs that it lacks may be the slow ones.
void Race::choose_leader() {
  leader_.reset();
  const double sign = rules_.higher_is_better ? -1.0 : 1.0;
  const auto cost = [&](std::size_t i) { return sign * *contestants_[i].objective.mean; };
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    if (!is_racing(i)) continue;
    contestants_[i].standing = Standing::races;
    contestants_[i].against.reset();
    contestants_[i].difference.reset();
    if (contestants_[i].objective.mean) ranked.push_back(i);
  }
  if (ranked.empty()) return;
  std::ranges::stable_sort(ranked, {}, cost);
  const double best = cost(ranked.front());
  const double counts = best + rules_.equivalent_within * std::fabs(best);
  std::erase_if(ranked, [&](std::size_t i) { return cost(i) > counts; });
  const auto share_lost = [&](std::size_t i) {
    return 1.0 -
           static_cast<double>(completed_[i].size()) / static_cast<double>(contestants_[i].runs);
  };
  leader_ = *std::ranges::min_element(ranked, {}, share_lost);
  contestants_[*leader_].standing = Standing::leads;
}

void Race::compare_with_leader() {
  if (!leader_ || contestants_.size() < 2) return;
  const double share = rules_.require.empty() ? 1.0 : 0.5;
  const double outside = share * spent_by_look() / static_cast<double>(contestants_.size() - 1);
  const double counts =
      rules_.equivalent_within * std::fabs(*contestants_[*leader_].objective.mean);
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    if (i == *leader_ || !is_racing(i)) continue;
    Contestant& contestant = contestants_[i];
    contestant.against = leader_;
    contestant.difference =
        runs::paired_difference(completed_[i], completed_[*leader_], rules_.objective, outside);
    const auto interval = contestant.difference->confidence_95;
    if (!interval) continue;
    if (rules_.higher_is_better ? interval->high < 0 : interval->low > 0) {
      contestant.standing = Standing::behind;
      contestant.looks = looks_;
    }
    if (interval->low >= -counts && interval->high <= counts)
      contestant.standing = Standing::equivalent;
  }
}

bool Race::is_decided() const {
  const auto stands = [](Standing standing) {
    return [standing](const Contestant& one) { return one.standing == standing; };
  };
  if (std::ranges::all_of(contestants_, stands(Standing::unfit))) return true;
  return leader_ && contestants_[*leader_].meets_all &&
         std::ranges::none_of(contestants_, stands(Standing::races));
}

}  // namespace faultline::advice
