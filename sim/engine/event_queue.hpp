#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// What an event does.
enum class EventKind : std::uint8_t {
  arrive,    ///< a message has arrived and can be handled if its receiver is free
  taken_in,  ///< loggp engine: the same, for a message that found its receiver's NIC busy
  wake,      ///< a receiver that was busy looks into its inbox
  timer,
  compute_done,
  sent,  ///< a message has left its sender, which gets on_sent
  fault,
  exit_notice,
  local_exit,
  link_lost,
  inject,     ///< simgrid engine: the message enters the network now
  nic_ready,  ///< a message reaches a NIC that several actors share
  nic_free,   ///< such a NIC can take up the next message
  restart,    ///< an actor starts again
};

/// One scheduled event, 24 bytes. Events at the same time are ordered by sequence number.
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
/// A few events are kept in a 4-ary heap. With many events a heap is slow: each of its levels costs
/// a mispredicted branch and, out of cache, a miss. So many events are kept in a ladder queue
/// (Tang, Goh, Thng: ACM TOMACS 15(3), 2005) with two rungs:
/// - Events beyond a horizon wait unsorted. The horizon is a quantile of the times, so that timers
///   far in the future do not widen the slots.
/// - Events before the horizon wait unsorted in slots of equal duration.
/// - When a slot opens, its events are dealt into narrow buckets, in one pass within the cache. A
///   bucket is sorted when its events are next.
/// Events that are scheduled into the open slot go through the heap.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  void push(const Event& event) {
    ++size_;
    if (event.time_s >= horizon_s_) {
      far_.push_back(event);
      return;
    }
    const std::size_t slot = in_slots_ ? slot_of(event.time_s) : 0;
    if (slot <= open_slot_)
      push_near(event);
    else
      slots_[slot].push_back(event);
  }

  /// The earliest event; the queue must not be empty.
  const Event& top() {
    if (cursor_ == sorted_end_) next_bucket();
    return staged_first() ? staged_[cursor_] : near_.front();
  }

  Event pop() {
    const Event event = top();
    --size_;
    if (staged_first())
      ++cursor_;
    else
      pop_near();
    return event;
  }

  /// The event that comes roughly `distance` events after the next one. Null if the queue is short
  /// or does not know. Only a guess, for prefetching.
  [[nodiscard]] const Event* ahead(std::size_t distance) const {
    const std::size_t place = cursor_ + distance;
    return place < staged_.size() ? &staged_[place] : nullptr;
  }

 private:
  static constexpr std::size_t kHeapEnough = 256;  ///< up to this size a heap is as fast
  static constexpr std::size_t kSlots = 64;
  static constexpr std::size_t kBucketSize = 8;
  static constexpr std::size_t kSample = 512;

  [[nodiscard]] bool staged_first() const {
    return cursor_ != sorted_end_ && (near_.empty() || staged_[cursor_] < near_.front());
  }
  [[nodiscard]] std::size_t slot_of(double time_s) const {
    const double slot = std::max(0.0, (time_s - first_s_) * slots_per_s_);
    return std::min(kSlots - 1, static_cast<std::size_t>(slot));
  }
  void push_near(const Event& event);
  void pop_near();
  void next_bucket();
  bool open_next_slot();
  void refill();
  void take_all_near();
  [[nodiscard]] double sampled_horizon();
  void fill_slots(double horizon_s);
  void deal(const std::vector<Event>& events);

  std::size_t size_ = 0;
  std::vector<Event> near_;  ///< 4-ary heap: all events, or those scheduled into the open slot
  std::size_t heap_enough_ = kHeapEnough;

  bool in_slots_ = false;
  std::size_t open_slot_ = 0;
  double first_s_ = 0.0;  ///< start of the first slot
  double slots_per_s_ = 0.0;
  double horizon_s_ = std::numeric_limits<double>::infinity();  ///< end of the last slot
  std::array<std::vector<Event>, kSlots> slots_;
  std::vector<Event> far_;  ///< at or beyond the horizon
  std::vector<double> sample_;

  std::vector<Event> staged_;  ///< the open slot, bucket after bucket
  std::vector<std::uint32_t> bucket_end_;
  std::size_t bucket_ = 0;      ///< next bucket to sort
  std::size_t cursor_ = 0;      ///< next event of the sorted bucket
  std::size_t sorted_end_ = 0;  ///< end of the sorted bucket
};

}  // namespace faultline
