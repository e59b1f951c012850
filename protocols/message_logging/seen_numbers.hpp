// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sim/core/digest.hpp"

namespace faultline::message_logging {

/// Which of the numbers 1, 2, ... have come. They come roughly in order, so that few between the
/// smallest and the largest are missing, and mostly none.
class SeenNumbers {
 public:
  [[nodiscard]] bool contains(std::uint64_t number) const {
    return number >= first_ && number <= last_ &&
           !std::binary_search(missing_.begin(), missing_.end(), number);
  }
  /// False if it has come before.
  bool insert(std::uint64_t number) {
    if (number > last_) {
      if (last_ == 0) first_ = number;
      for (std::uint64_t later = std::max(first_, last_ + 1); later < number; ++later)
        missing_.push_back(later);
      last_ = number;
      return true;
    }
    if (number < first_) {
      std::vector<std::uint64_t> between(first_ - number - 1);
      std::iota(between.begin(), between.end(), number + 1);
      missing_.insert(missing_.begin(), between.begin(), between.end());
      first_ = number;
      return true;
    }
    const auto place = std::lower_bound(missing_.begin(), missing_.end(), number);
    if (place == missing_.end() || *place != number) return false;
    missing_.erase(place);
    return true;
  }
  /// The largest that has come; 0 if none.
  [[nodiscard]] std::uint64_t last() const { return last_; }
  void clear() { *this = {}; }
  void digest(Digest& into) const { into.add(first_, last_, missing_); }
  friend bool operator==(const SeenNumbers&, const SeenNumbers&) = default;

 private:
  std::uint64_t first_ = 0;  ///< the smallest that has come; 0 if none
  std::uint64_t last_ = 0;
  std::vector<std::uint64_t> missing_;  ///< between these, ascending
};

}  // namespace faultline::message_logging
