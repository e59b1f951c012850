// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace faultline::exploration {

/// Returns true if the search may go on.
using MayGoOn = std::function<bool()>;

/// Thrown if the search may not go on. One state can have more successors than anybody wants to
/// wait for.
struct SearchStopped {};

/// Asks now and then whether a loop of many short steps may go on.
class NowAndThen {
 public:
  NowAndThen(const MayGoOn& may_go_on, std::uint64_t steps_between)
      : may_go_on_(may_go_on), steps_between_(steps_between) {}
  /// Throws SearchStopped if the loop may not go on.
  void step() {
    if (++steps_ % steps_between_ == 0 && !may_go_on_()) throw SearchStopped();
  }

 private:
  const MayGoOn& may_go_on_;
  std::uint64_t steps_between_;
  std::uint64_t steps_ = 0;
};

}  // namespace faultline::exploration
