// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/random_task_tree.hpp"

namespace faultline::theory {

/// What a process does between two steps if it is active in both (termination-2022 section 5.2).
enum class StepActivity {
  instant,  ///< S_instant: it stays active
  local,    ///< S_local: it goes idle in between, unless it sends a message to itself
  load,     ///< S_load: as local, but only if it has less load than all that send to it
};

/// The reading of section 5.2 to count by: the text as printed (`literal`), or the reading that
/// reproduces Table 1 (`resolved`).
enum class StepRules { literal, resolved };

/// A message that creates a task on `to`.
struct StepMessage {
  Rank from = 0;
  Rank to = 0;
};

/// One synchronous step: the tasks of one level of the tree run and send messages that create the
/// tasks of the next level.
struct TreeStep {
  /// In the order of the tasks that they create. Includes messages of a process to itself.
  std::vector<StepMessage> messages;
  std::vector<std::uint8_t> was_active;  ///< of each process, at the start of the step
  std::vector<std::uint8_t> is_active;   ///< of each process, at its end
  std::vector<std::uint8_t> rested;      ///< active at start and end, and idle in between

  [[nodiscard]] std::uint32_t processes() const {
    return static_cast<std::uint32_t>(was_active.size());
  }
  [[nodiscard]] bool becomes_idle(Rank process) const {
    return was_active[process] != 0 && (is_active[process] == 0 || rested[process] != 0);
  }
  [[nodiscard]] bool becomes_active(Rank process) const {
    return is_active[process] != 0 && (was_active[process] == 0 || rested[process] != 0);
  }
};

/// Goes through the steps of a tree. Step l runs the tasks of level l.
class TreeSteps {
 public:
  /// `ranks` has the process of each task, below `processes`. `tree` and `ranks` must outlive this.
  TreeSteps(const TaskTree& tree, const std::vector<Rank>& ranks, std::uint32_t processes,
            StepActivity activity, StepRules rules);

  /// Goes to the next step; the first call goes to the first one. Returns false if there is none.
  bool next();

  [[nodiscard]] const TreeStep& step() const { return step_; }

 private:
  void collect_messages(Task begin, Task end);
  void decide_rests();

  const TaskTree& tree_;
  const std::vector<Rank>& ranks_;
  StepActivity activity_;
  StepRules rules_;
  std::vector<Task> level_starts_;
  std::size_t level_ = 0;  ///< the level whose tasks the current step creates
  TreeStep step_;
  std::vector<std::uint32_t> load_;       ///< tasks of each process on this level
  std::vector<std::uint32_t> next_load_;  ///< on the next level
  std::vector<std::uint8_t> keeps_;       ///< whether the process sends a message to itself
  std::vector<std::uint32_t> lightest_;   ///< smallest load among the senders to each process
};

}  // namespace faultline::theory
