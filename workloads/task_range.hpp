// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/digest.hpp"

namespace faultline::workloads {

/// Tasks `begin` to below `end` of a list in depth-first order.
struct TaskRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] std::uint32_t size() const { return end - begin; }
  bool operator==(const TaskRange&) const = default;
  void digest(Digest& into) const { into.add(begin, end); }
};

/// The deque of a process that works depth first. When its owner takes the newest task and makes
/// its children, the rest of a subtree is always one range of the list, however deep the owner is.
/// So the deque needs no entry for each task. A thief takes the oldest entries: the end of a range.
class TaskDeque {
 public:
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  /// Adds a range, which must not be empty.
  void put(TaskRange range) { ranges_.push_back(range); }
  /// Removes and returns the owner's next task. The deque must not be empty.
  std::uint32_t take();
  /// Removes and returns the last half of the oldest range, rounded up. The deque must not be
  /// empty.
  TaskRange steal_half();
  /// Removes and returns the oldest entry: the last child of the topmost task that has one left,
  /// and all below that child. `divergence` has for each task the number of levels that it shares
  /// with the one before, plus one; it is empty if all tasks are children of one. The deque must
  /// not be empty.
  TaskRange steal_one(std::span<const std::uint8_t> divergence);
  void digest(Digest& into) const { into.add(ranges_); }

 private:
  TaskRange cut(std::uint32_t begin);

  std::vector<TaskRange>
      ranges_;  ///< oldest first; more than one when work came from several sides
};

}  // namespace faultline::workloads
