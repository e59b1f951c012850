// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/boxed.hpp"
#include "sim/core/digest.hpp"

namespace faultline {

/// Which of the numbers 1, 2, ... have come. They come roughly in order, so few lie beyond the
/// first that is missing, and mostly none: 14 bytes, for numbers below 2^48.
class SeenNumbers {
 public:
  [[nodiscard]] bool contains(std::uint64_t number) const {
    return number <= prefix_ ||
           (beyond_ && std::binary_search(beyond_->begin(), beyond_->end(), number));
  }
  /// False if it has come before.
  bool insert(std::uint64_t number) {
    if (number == prefix_ + 1 && !beyond_) {
      ++prefix_;
      return true;
    }
    if (contains(number)) return false;
    if (number == prefix_ + 1)
      close_gap();
    else
      insert_beyond(number);
    return true;
  }
  /// All up to this one have come.
  [[nodiscard]] std::uint64_t prefix() const { return prefix_; }
  [[nodiscard]] std::uint64_t size() const { return prefix_ + (beyond_ ? beyond_->size() : 0); }
  void clear() { *this = {}; }
  void digest(Digest& into) const {
    into.add(prefix(), size() - prefix_);
    if (beyond_) into.add(*beyond_);
  }
  friend bool operator==(const SeenNumbers& a, const SeenNumbers& b) {
    if (a.prefix_ != b.prefix_ || a.size() != b.size()) return false;
    return !a.beyond_ || *a.beyond_ == *b.beyond_;
  }

 private:
  using Numbers = std::vector<std::uint64_t>;

  void insert_beyond(std::uint64_t number) {
    if (!beyond_) beyond_ = std::make_unique<Numbers>();
    beyond_->insert(std::lower_bound(beyond_->begin(), beyond_->end(), number), number);
  }
  /// The number after the prefix has come.
  void close_gap() {
    ++prefix_;
    auto next = beyond_->begin();
    for (; next != beyond_->end() && *next == prefix_ + 1; ++next) ++prefix_;
    beyond_->erase(beyond_->begin(), next);
    if (beyond_->empty()) beyond_.reset();
  }

  Boxed<Numbers> beyond_;  ///< ascending; null if there are none
  std::uint64_t prefix_ : 48 = 0;
};

}  // namespace faultline
