// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/tree_steps.hpp"

#include <algorithm>
#include <limits>

namespace faultline::theory {

TreeSteps::TreeSteps(const TaskTree& tree, const std::vector<Rank>& ranks, std::uint32_t processes,
                     StepActivity activity, StepRules rules)
    : tree_(tree),
      ranks_(ranks),
      activity_(activity),
      rules_(rules),
      level_starts_(workloads::level_starts(tree)),
      load_(processes),
      next_load_(processes),
      keeps_(processes),
      lightest_(processes) {
  level_starts_.push_back(tree.tasks());  // in the last step nobody receives
  step_.was_active.assign(processes, 0);
  // By the literal rules all processes are active at the start: section 4 gives credit to all of
  // them.
  step_.is_active.assign(processes, rules == StepRules::literal ? 1 : 0);
  step_.is_active[ranks[0]] = 1;
  step_.rested.assign(processes, 0);
  next_load_[ranks[0]] = 1;
}

bool TreeSteps::next() {
  if (level_ + 2 >= level_starts_.size()) return false;
  ++level_;
  step_.was_active.swap(step_.is_active);
  load_.swap(next_load_);
  collect_messages(level_starts_[level_], level_starts_[level_ + 1]);
  std::transform(next_load_.begin(), next_load_.end(), step_.is_active.begin(),
                 [](std::uint32_t load) { return static_cast<std::uint8_t>(load > 0); });
  decide_rests();
  return true;
}

void TreeSteps::collect_messages(Task begin, Task end) {
  step_.messages.clear();
  step_.messages.reserve(end - begin);
  std::fill(next_load_.begin(), next_load_.end(), 0);
  std::fill(keeps_.begin(), keeps_.end(), 0);
  std::fill(lightest_.begin(), lightest_.end(), std::numeric_limits<std::uint32_t>::max());
  for (Task task = begin; task < end; ++task) {
    const Rank from = ranks_[tree_.parents[task]];
    const Rank to = ranks_[task];
    step_.messages.push_back({from, to});
    ++next_load_[to];
    lightest_[to] = std::min(lightest_[to], load_[from]);
    if (from == to) keeps_[to] = 1;
  }
}

// The load of a process is its number of tasks on this level: "messages received at the previous
// step, each of them implying the execution of a task". The startup task counts, too.
void TreeSteps::decide_rests() {
  for (Rank p = 0; p < step_.processes(); ++p) {
    bool rests = activity_ != StepActivity::instant && step_.was_active[p] != 0 &&
                 step_.is_active[p] != 0 && keeps_[p] == 0;
    if (rests && activity_ == StepActivity::load)
      rests = rules_ == StepRules::literal ? load_[p] < lightest_[p] : load_[p] <= lightest_[p];
    step_.rested[p] = static_cast<std::uint8_t>(rests);
  }
}

}  // namespace faultline::theory
