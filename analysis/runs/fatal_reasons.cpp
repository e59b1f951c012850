// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/fatal_reasons.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/core/visible_text.hpp"

namespace faultline::runs {

namespace {

std::string shown(const std::string& reason) {
  constexpr std::size_t kLongest_B = 100;
  if (reason.empty()) return "without a reason";
  // Text far beyond the cut is dropped first, so that a huge reason costs nothing.
  return shortened(visible(reason.substr(0, 4 * kLongest_B)), kLongest_B);
}

}  // namespace

void FatalReasons::add(const RunRecord& run) {
  constexpr std::size_t kMostKept = 64;
  if (run.outcome != engine::Outcome::fatal_reported) return;
  const auto known = runs_.find(run.fatal_reason);
  if (known != runs_.end())
    ++known->second;
  else if (runs_.size() < kMostKept)
    runs_.emplace(run.fatal_reason, 1);
  else
    ++more_;
}

std::string FatalReasons::text() const {
  constexpr std::size_t kMostShown = 3;
  using ReasonRuns = std::pair<std::string, std::size_t>;
  std::vector<ReasonRuns> reasons(runs_.begin(), runs_.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const ReasonRuns& a, const ReasonRuns& b) { return a.second > b.second; });
  std::size_t all = more_;
  std::size_t others = more_;
  std::string list;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const auto& [reason, runs] = reasons[i];
    all += runs;
    if (i >= kMostShown)
      others += runs;
    else
      list += (i == 0 ? "" : ", ") + std::to_string(runs) + " " + shown(reason);
  }
  if (all == 0) return {};
  if (others > 0) list += " and " + std::to_string(others) + " of other reasons";
  return std::to_string(all) + " fatal-reported: " + list;
}

}  // namespace faultline::runs
