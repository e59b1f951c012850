// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/number_set.hpp"
#include "workloads/task_range.hpp"

namespace faultline::workloads {

/// Which tasks a process has begun. When it runs out of work, these are finished for good, even if
/// it dies later: their results are in the global arrays.
class TaskRecord {
 public:
  void begin(std::uint32_t task) {
    if (begun_.size() > finished_ && begun_.back().end == task)
      ++begun_.back().end;
    else
      begun_.push_back({task, task + 1});
  }
  /// The process is out of work.
  void finish() { finished_ = begun_.size(); }
  /// Adds the finished tasks to those that other processes have done. Returns how many are new.
  std::uint64_t add_finished_to(NumberSet& done) const;
  /// Adds which tasks are finished and which are not, since a run that misses some at the end is a
  /// violation; not how often and in which order they were begun.
  void digest(Digest& into) const;

 private:
  std::vector<TaskRange> begun_;  ///< in order
  std::size_t finished_ = 0;      ///< number of these ranges
};

}  // namespace faultline::workloads
