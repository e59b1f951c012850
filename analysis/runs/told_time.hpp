// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <utility>

namespace faultline::runs {

/// The simulated time of a run in a child process, in memory that it shares with its parent. If
/// there is no such memory, the time is always 0.
class ToldTime {
 public:
  ToldTime() = default;
  ~ToldTime();
  ToldTime(const ToldTime&) = delete;
  ToldTime& operator=(const ToldTime&) = delete;
  ToldTime(ToldTime&& other) noexcept : place_(std::exchange(other.place_, nullptr)) {}
  ToldTime& operator=(ToldTime&& other) noexcept {
    std::swap(place_, other.place_);
    return *this;
  }

  /// In the parent: the time is 0 until a run tells another. Call it before the child is made.
  void forget();
  /// In the child: its runs tell their times from now on.
  void tell_from_here();

  [[nodiscard]] double simulated_s() const;

 private:
  std::atomic<double>* place_ = nullptr;
};

}  // namespace faultline::runs
