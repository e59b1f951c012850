#pragma once

#include <cstdint>
#include <vector>

#include "workloads/random_task_tree.hpp"

namespace faultline {

/// What a process does between two steps in which it is active (termination-2022 section 5.2).
enum class StepActivity {
  instant,  ///< S_instant: it stays active
  local,    ///< S_local: it goes idle in between, unless it sends a message to itself
  load,     ///< S_load: as local, and only if it has less load than those that send to it
};

/// Which reading of section 5.2 counts: the printed text, or the one that reproduces Table 1.
enum class StepRules { literal, resolved };

/// A message that creates a task on `to`.
struct StepMessage {
  Rank from = 0;
  Rank to = 0;
};

/// One synchronous step: the tasks of one level run and send to the processes of the next.
struct TreeStep {
  /// Those to oneself included, in the order of the tasks that they create.
  std::vector<StepMessage> messages;
  std::vector<std::uint8_t> was_active;  ///< by process, at the start of the step
  std::vector<std::uint8_t> is_active;   ///< at its end
  std::vector<std::uint8_t> rested;      ///< active at both, and idle in between

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

/// The steps of a tree, one after another: level l is step l.
class TreeSteps {
 public:
  /// `ranks` has the process, below `processes`, of every task. `tree` and `ranks` must outlive
  /// this.
  TreeSteps(const TaskTree& tree, const std::vector<Rank>& ranks, std::uint32_t processes,
            StepActivity activity, StepRules rules);

  /// Goes to the next step, the first at the first call; false when there is none.
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
  std::size_t level_ = 0;  ///< whose tasks are created by the current step
  TreeStep step_;
  std::vector<std::uint32_t> load_;       ///< tasks of this level, by process
  std::vector<std::uint32_t> next_load_;  ///< of the next
  std::vector<std::uint8_t> keeps_;       ///< sends a message to itself
  std::vector<std::uint32_t> lightest_;   ///< smallest load of those that send to a process
};

}  // namespace faultline
