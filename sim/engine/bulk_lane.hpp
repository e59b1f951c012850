#pragma once

#include <deque>
#include <memory_resource>

#include "sim/core/message.hpp"

namespace faultline {

/// Messages of several packets on their way through a link, or into a NIC: one at a time, in the
/// order in which they have come. Shorter messages go before what is left of the first, and delay
/// it by their own time.
class BulkLane {
 public:
  explicit BulkLane(std::pmr::memory_resource* memory) : waiting_(memory) {}

  [[nodiscard]] bool is_idle() const { return waiting_.empty(); }
  [[nodiscard]] bool has_begun() const { return has_begun_; }
  /// The message that is passing, or will be the next. There is one.
  [[nodiscard]] Message& first() const { return *waiting_.front().message; }
  /// When the first has passed, if nothing more goes before it. It has begun.
  [[nodiscard]] double end_s() const { return end_s_; }

  /// A message comes that takes so long to pass.
  void join(Message& message, double duration_s) { waiting_.push_back({&message, duration_s}); }
  void begin(double begin_s) {
    end_s_ = begin_s + waiting_.front().duration_s;
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
  struct Passing {
    Message* message;
    double duration_s;
  };
  std::pmr::deque<Passing> waiting_;
  double end_s_ = 0.0;
  bool has_begun_ = false;
};

}  // namespace faultline
