// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/core/detector_context.hpp"

namespace faultline::failure_detection {

/// One background timer for the earliest of many times at which something is due. An actor that
/// suspects a thousand others at once needs one timer, not a thousand.
class Alarm {
 public:
  /// Rings at `due_s`, by on_timer(key), unless it rings before that anyway.
  void want(DetectorContext& context, std::uint64_t key, double due_s) {
    if (due_s >= due_s_) return;
    due_s_ = due_s;
    context.set_timer(key, std::max(0.0, due_s - context.now_s()), true);
  }
  /// The alarm rings, for everything that is due at the returned time or before it. That is the
  /// wanted time, from which the clock may differ by a rounding error.
  double rings() { return std::exchange(due_s_, kNever); }
  void digest(Digest& into) const { into.add(due_s_); }

 private:
  double due_s_ = kNever;
};

}  // namespace faultline::failure_detection
