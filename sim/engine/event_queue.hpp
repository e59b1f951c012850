#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// What is to happen.
enum class EventKind : std::uint8_t {
  arrive,  ///< a message can be handled if its receiver is free
  wake,    ///< a receiver that was busy looks into its inbox
  timer,
  compute_done,
  sent,  ///< the send fence of a message
  fault,
  exit_notice,
  local_exit,
  link_lost,
  inject,  ///< simgrid engine: the message enters the network now
};

/// One entry of the agenda: 24 bytes. Equal times are ordered by sequence number.
struct Event {
  double time_s = 0.0;
  std::uint64_t order = 0;  ///< sequence number and, in the low bits, the kind
  union {
    Message* message;
    struct {
      std::uint32_t actor;
      std::uint32_t detail;
    } at;
  };

  static constexpr unsigned kKindBits = 4;
  [[nodiscard]] EventKind kind() const {
    return static_cast<EventKind>(order & ((1U << kKindBits) - 1));
  }
  friend bool operator<(const Event& a, const Event& b) {
    return a.time_s < b.time_s || (a.time_s == b.time_s && a.order < b.order);
  }
};

/// The pending events, earliest first.
///
/// Few events are kept in a 4-ary heap. Many are kept in two parts, because a heap that does not
/// fit into the cache costs a miss per level: events beyond a horizon wait unsorted; when the
/// events before it are used up, the nearest part of them is dealt into narrow buckets (one
/// sequential pass), and a bucket is sorted when its turn comes. What is scheduled before the
/// horizon in the meantime goes through the heap. After a ladder queue (Tang, Goh, Thng: ACM TOMACS
/// 15(3), 2005) with a single rung whose width follows a quantile, so that timers far in the
/// future do not widen the buckets.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  void push(const Event& event) {
    ++size_;
    if (event.time_s < horizon_s_)
      push_near(event);
    else
      far_.push_back(event);
  }

  /// The earliest event; the queue must not be empty.
  const Event& top() {
    if (cursor_ == sorted_end_) next_bucket();
    if (cursor_ == sorted_end_) return near_.front();
    if (!near_.empty() && near_.front() < staged_[cursor_]) return near_.front();
    return staged_[cursor_];
  }

  Event pop() {
    const Event event = top();
    --size_;
    if (cursor_ != sorted_end_ && staged_[cursor_].order == event.order)
      ++cursor_;
    else
      pop_near();
    return event;
  }

 private:
  static constexpr std::size_t kHeapEnough = 8192;  ///< this many events stay in cache
  static constexpr std::size_t kBucketSize = 8;
  static constexpr std::size_t kSample = 512;

  void push_near(const Event& event);
  void pop_near();
  void next_bucket();
  void refill();
  void take_all_near();
  [[nodiscard]] double sampled_horizon() const;
  void deal(double horizon_s);

  std::size_t size_ = 0;
  double horizon_s_ = std::numeric_limits<double>::infinity();
  std::vector<Event> near_;    ///< 4-ary heap: events before the horizon that came after dealing
  std::vector<Event> staged_;  ///< dealt events, bucket after bucket
  std::vector<std::uint32_t> bucket_end_;
  std::size_t bucket_ = 0;      ///< next bucket to sort
  std::size_t cursor_ = 0;      ///< next event of the sorted bucket
  std::size_t sorted_end_ = 0;  ///< end of the sorted bucket
  std::vector<Event> far_;      ///< at or beyond the horizon, unsorted
};

}  // namespace faultline
