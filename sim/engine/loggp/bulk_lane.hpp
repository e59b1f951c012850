// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <memory_resource>

#include "sim/core/message.hpp"
#include "sim/engine/network/bulk_intake.hpp"
#include "sim/platform/transit.hpp"

namespace faultline::engine {

/// Messages of several packets on a link: one at a time, in the order in which they have come.
/// Shorter messages go before what is left of the first, and delay it by their own time. Those that
/// have to stay behind a long one, between the same two actors, follow it at once.
class BulkLane {
 public:
  struct Passing {
    Message* message;
    platform::Transit transit;  ///< what it was when the message left; its ends may move meanwhile
    bool is_long;               ///< of several packets
    Inflow inflow{};            ///< at its receiver, if it is long and has begun
  };
  explicit BulkLane(std::pmr::memory_resource* memory) : waiting_(memory) {}

  [[nodiscard]] bool is_idle() const { return waiting_.empty(); }
  [[nodiscard]] bool has_begun() const { return has_begun_; }
  /// The message that is passing. There is one.
  [[nodiscard]] Passing& first() { return waiting_.front(); }
  /// When the first has passed, if nothing more goes before it.
  [[nodiscard]] double end_s() const { return end_s_; }

  void join(const Passing& passing) { waiting_.push_back(passing); }
  /// The next one begins to pass, which is then the first. One waits.
  void begin(double begin_s) {
    const auto next = std::find_if(waiting_.begin(), waiting_.end(), [this](const Passing& one) {
      return !one.is_long && is_first_of_its_pair(one);
    });
    if (next != waiting_.end()) std::rotate(waiting_.begin(), next, next + 1);
    end_s_ = begin_s + waiting_.front().transit.transfer_s;
    has_begun_ = true;
  }
  /// A shorter message takes so long to pass, and goes first.
  void delay(double duration_s) { end_s_ += duration_s; }
  /// The first has passed.
  void leave() {
    waiting_.pop_front();
    has_begun_ = false;
  }

 private:
  [[nodiscard]] bool is_first_of_its_pair(const Passing& passing) const {
    const auto first = std::find_if(waiting_.begin(), waiting_.end(), [&](const Passing& other) {
      return other.message->from == passing.message->from &&
             other.message->to == passing.message->to;
    });
    return first->message == passing.message;
  }

  std::pmr::deque<Passing> waiting_;
  double end_s_ = 0.0;
  bool has_begun_ = false;
};

}  // namespace faultline::engine
