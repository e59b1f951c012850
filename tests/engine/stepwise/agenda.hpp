// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline::engine {

/// Things to do, each at its time; equal times in the order in which they were asked for.
class Agenda {
 public:
  void at(double time_s, std::function<void()> action) {
    entries_.push({time_s, ++asked_, std::move(action)});
  }
  [[nodiscard]] double now_s() const { return now_s_; }
  /// An item comes to a place at which the last one came at `last_s`. `is_ordered`: these two come
  /// in this order, however close to each other.
  void arrival(double& last_s, bool is_ordered = false) {
    if (!is_ordered) closest_s_ = std::min(closest_s_, now_s_ - last_s);
    last_s = now_s_;
  }
  [[nodiscard]] double closest_s() const { return closest_s_; }
  void run() {
    while (!entries_.empty()) {
      Entry entry = entries_.top();
      entries_.pop();
      now_s_ = entry.time_s;
      entry.action();
    }
  }

 private:
  struct Entry {
    double time_s;
    std::uint64_t place;
    std::function<void()> action;
    bool operator<(const Entry& other) const {
      return std::pair(time_s, place) > std::pair(other.time_s, other.place);
    }
  };
  std::priority_queue<Entry> entries_;
  std::uint64_t asked_ = 0;
  double now_s_ = 0;
  double closest_s_ = kNever;
};

}  // namespace faultline::engine
