// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"

namespace faultline {

/// Which of the numbers 1, 2, ... have come. They come roughly in order, so few lie beyond the
/// first that is missing, and mostly none.
class SeenNumbers {
 public:
  [[nodiscard]] bool contains(std::uint64_t number) const {
    return number <= prefix_ || std::binary_search(beyond_.begin(), beyond_.end(), number);
  }
  /// False if it has come before.
  bool insert(std::uint64_t number) {
    if (contains(number)) return false;
    if (number == prefix_ + 1)
      close_gap();
    else
      beyond_.insert(std::lower_bound(beyond_.begin(), beyond_.end(), number), number);
    return true;
  }
  /// All up to this one have come.
  [[nodiscard]] std::uint64_t prefix() const { return prefix_; }
  [[nodiscard]] std::uint64_t size() const { return prefix_ + beyond_.size(); }
  void clear() { *this = {}; }
  void digest(Digest& into) const { into.add(prefix_, beyond_); }
  friend bool operator==(const SeenNumbers&, const SeenNumbers&) = default;

 private:
  /// The number after the prefix has come.
  void close_gap() {
    ++prefix_;
    auto next = beyond_.begin();
    for (; next != beyond_.end() && *next == prefix_ + 1; ++next) ++prefix_;
    beyond_.erase(beyond_.begin(), next);
  }

  std::uint64_t prefix_ = 0;
  std::vector<std::uint64_t> beyond_;  ///< ascending
};

}  // namespace faultline
