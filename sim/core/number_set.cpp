// SPDX-License-Identifier: Apache-2.0
#include "sim/core/number_set.hpp"

#include <algorithm>
#include <iterator>

namespace faultline {

std::uint64_t NumberSet::add(std::uint32_t begin, std::uint32_t end) {
  const std::uint64_t before = size_;
  auto next = ranges_.upper_bound(begin);
  if (next != ranges_.begin() && std::prev(next)->second >= begin) --next;
  while (next != ranges_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    size_ -= next->second - next->first;
    next = ranges_.erase(next);
  }
  ranges_.emplace(begin, end);
  size_ += end - begin;
  return size_ - before;
}

}  // namespace faultline
