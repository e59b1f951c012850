// SPDX-License-Identifier: Apache-2.0
#include "workloads/task_range.hpp"

#include <algorithm>

namespace faultline::workloads {

std::uint32_t TaskDeque::take() {
  TaskRange& newest = ranges_.back();
  const std::uint32_t task = newest.begin++;
  if (newest.size() == 0) ranges_.pop_back();
  return task;
}

TaskRange TaskDeque::steal_half() {
  const TaskRange& oldest = ranges_.front();
  return cut(oldest.begin + oldest.size() / 2);
}

TaskRange TaskDeque::steal_one(std::span<const std::uint8_t> divergence) {
  const TaskRange& oldest = ranges_.front();
  if (divergence.empty() || oldest.size() == 1) return cut(oldest.end - 1);
  const auto inner = divergence.subspan(oldest.begin + 1, oldest.size() - 1);
  const std::uint8_t topmost = *std::min_element(inner.begin(), inner.end());
  const auto last = std::find(inner.rbegin(), inner.rend(), topmost);
  const auto after = static_cast<std::uint32_t>(last - inner.rbegin());
  return cut(oldest.end - 1 - after);
}

TaskRange TaskDeque::cut(std::uint32_t begin) {
  TaskRange& oldest = ranges_.front();
  const TaskRange stolen{begin, oldest.end};
  oldest.end = begin;
  if (oldest.size() == 0) ranges_.erase(ranges_.begin());
  return stolen;
}

}  // namespace faultline::workloads
