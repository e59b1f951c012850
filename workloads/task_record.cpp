// SPDX-License-Identifier: Apache-2.0
#include "workloads/task_record.hpp"

namespace faultline::workloads {

std::uint64_t TaskRecord::add_finished_to(NumberSet& done) const {
  std::uint64_t added = 0;
  for (std::size_t i = 0; i < finished_; ++i) added += done.add(begun_[i].begin, begun_[i].end);
  return added;
}

void TaskRecord::digest(Digest& into) const {
  NumberSet finished;
  NumberSet unfinished;
  for (std::size_t i = 0; i < begun_.size(); ++i)
    (i < finished_ ? finished : unfinished).add(begun_[i].begin, begun_[i].end);
  into.add(finished, unfinished);
}

}  // namespace faultline::workloads
