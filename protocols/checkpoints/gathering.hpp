// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/digest.hpp"

namespace faultline::checkpoints {

/// What a rank of a tree passes on to its parent when it has it of itself and of all its children:
/// that all below have stored a checkpoint, for instance.
class Gathering {
 public:
  void add_own() { here_ = true; }
  /// A child has it, with all below it.
  void add_child() { ++below_; }
  [[nodiscard]] bool has_own() const { return here_; }
  /// Is there nobody to wait for any more? `children`: of this rank.
  [[nodiscard]] bool is_complete(std::uint32_t children) const {
    return here_ && below_ >= children;
  }
  /// Has a child said so twice?
  [[nodiscard]] bool exceeds(std::uint32_t children) const { return below_ > children; }
  void reset() { *this = {}; }
  void digest(Digest& into) const { into.add(here_, below_); }

 private:
  bool here_ = false;
  std::uint32_t below_ = 0;
};

}  // namespace faultline::checkpoints
