#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace faultline {

/// Tasks `begin` to below `end` of a list in depth-first order.
struct TaskRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] std::uint32_t size() const { return end - begin; }
  bool operator==(const TaskRange&) const = default;
};

/// The deque of a process that works depth first: what is left of a subtree when its owner takes
/// the newest task and makes its children is a range of the list, however deep the owner is, so the
/// deque needs no entry for each task. Whoever steals takes the oldest entries, the range's end.
class TaskDeque {
 public:
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  /// Not an empty range.
  void put(TaskRange range) { ranges_.push_back(range); }
  /// The owner's next task. The deque is not empty.
  std::uint32_t take();
  /// The last half of the oldest range, rounded up. The deque is not empty.
  TaskRange steal_half();
  /// The oldest entry: the last child, and all below it, of the topmost task that has one left.
  /// `divergence` says for each task how many levels it shares with the one before, plus one; it is
  /// empty where all tasks are children of one. The deque is not empty.
  TaskRange steal_one(std::span<const std::uint8_t> divergence);

 private:
  TaskRange cut(std::uint32_t begin);

  std::vector<TaskRange>
      ranges_;  ///< oldest first; more than one when work came from several sides
};

/// A set of tasks, in memory that grows with the gaps in it.
class TaskCoverage {
 public:
  /// Returns how many of the range were not in the set.
  std::uint64_t add(TaskRange range);
  [[nodiscard]] std::uint64_t tasks() const { return tasks_; }

 private:
  std::map<std::uint32_t, std::uint32_t> ranges_;  ///< begin -> end, neither touching
  std::uint64_t tasks_ = 0;
};

}  // namespace faultline
