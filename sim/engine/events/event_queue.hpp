// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sim/engine/events/event.hpp"
#include "sim/engine/events/event_list.hpp"

namespace faultline::engine {

/// The pending events, earliest first.
///
/// A few events are kept in a 4-ary heap. With many events a heap is slow: each of its levels costs
/// a mispredicted branch and, out of cache, a miss. So many events are kept in a calendar (Brown:
/// CACM 31(10), 1988), a ring of slots of equal duration:
/// - An event goes into its slot, unsorted. Events beyond the last slot of the ring wait apart
/// until
///   the ring reaches them.
/// - When a slot opens, its events are sorted. Those of a large slot are first dealt into narrow
///   buckets, in one pass within the cache, and a bucket is sorted when its events are next (the
///   second rung of a ladder queue; Tang, Goh, Thng: ACM TOMACS 15(3), 2005).
/// - Events that are scheduled into the open slot go through the heap. If they become a crowd, the
///   calendar is laid out anew, for them.
/// The duration of a slot comes from a quantile of the times, so that timers far in the future do
/// not widen the slots. It is chosen again when the slots turn out to be too full or too empty.
/// Timers far beyond the ring, such as those of timeouts, are looked at only when they are due:
/// most have been cancelled by then, and may be many more than all other events.
class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(EventQueue&&) noexcept = default;
  EventQueue& operator=(EventQueue&&) noexcept = default;
  /// Copies a queue, in the memory that this one has if both have only few events.
  EventQueue& operator=(const EventQueue& other) {
    if (this == &other) return *this;
    if (!ring_.empty() || !other.ring_.empty()) return *this = EventQueue(other);
    near_ = other.near_;
    size_ = other.size_;
    heap_enough_ = other.heap_enough_;
    return *this;
  }
  ~EventQueue() = default;
  /// Copies the events. They come in the same order, although the copy keeps them in another way.
  EventQueue(const EventQueue& other) {
    other.for_each([this](const Event& event) { push(event); });
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  void push(const Event& event) {
    ++size_;
    const double place = place_of(event.time_s);
    if (!(place >= near_end_))  // also if it is no number, because no slots exist
      push_near(event);
    else if (place < far_begin_)
      put_in_slot(slot_at(place), event);
    else {
      if (event.time_s < remote_s_) ++put_far_;
      put_far(event);
    }
  }

  /// The earliest event; the queue must not be empty.
  const Event& top() {
    if (cursor_ == sorted_end_) next_bucket();
    return staged_first() ? staged_[cursor_] : near_.front();
  }

  Event pop() {
    if (cursor_ == sorted_end_) next_bucket();
    --size_;
    risen_ = 0;
    if (staged_first()) return staged_[cursor_++];
    const Event event = near_.front();
    pop_near();
    return event;
  }

  /// Removes the event with that order, wherever it stands. Throws std::out_of_range if there is
  /// none. Takes time in proportion to the number of events.
  Event take_out(std::uint64_t order);

  /// True if the events far beyond the ring have become twice as many since they were thinned out.
  [[nodiscard]] bool is_crowded_far_off() const {
    return remote_size_ > 2 * remote_kept_ + kCrowdFarOff;
  }
  /// Removes those of them that will have no effect. Never called for a few thousand events.
  template <class HasNoEffect>
  void thin_out_far_off(const HasNoEffect& has_no_effect) {
    const std::size_t before = remote_size_;
    remote_size_ = 0;
    remote_first_s_ = std::numeric_limits<double>::infinity();
    remote_.take_all(blocks_, [&](const Event& event) {
      if (!has_no_effect(event)) put_remote(event);
    });
    remote_kept_ = remote_size_;
    size_ -= before - remote_size_;
  }

  /// The event that comes roughly `distance` events after the next one. Null if the queue is short
  /// or does not know. Only a guess, for prefetching.
  [[nodiscard]] const Event* ahead(std::size_t distance) const {
    const std::size_t place = cursor_ + distance;
    if (place < staged_.size()) return &staged_[place];
    if (ring_.empty()) return nullptr;
    const EventList& next = ring_[(open_ + 1) & mask_];
    const std::size_t in_next = place - staged_.size();
    return !next.empty() && in_next < next.count_in(next.first) ? &next.first->events[in_next]
                                                                : nullptr;
  }

  /// The event that the last pop() has let rise to that level of the heap, 0 being its top. Null if
  /// there is none. An event on level n is one of the next 4^n or so of the heap.
  [[nodiscard]] const Event* risen(std::size_t level) const {
    return level < risen_ ? &near_[rise_[level]] : nullptr;
  }

  /// Replaces the pointers of all events about messages by what `to` makes of them.
  template <class To>
  void repoint_messages(To to) {
    if (ring_.empty()) {  // the heap has all events, and their order does not change
      for (Event& event : near_)
        if (event.is_about_message()) event.message = to(event.message);
      return;
    }
    EventQueue repointed;
    for_each([&](Event event) {
      if (event.is_about_message()) event.message = to(event.message);
      repointed.push(event);
    });
    *this = std::move(repointed);
  }
  /// Visits every event, in no order that means anything.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Event& event : near_) visit(event);
    for (std::size_t i = cursor_; i < staged_.size(); ++i) visit(staged_[i]);
    for (const EventList& slot : ring_) slot.for_each(visit);
    far_.for_each(visit);
    remote_.for_each(visit);
  }

 private:
  static constexpr std::size_t kHeapEnough = 256;  ///< up to this size a heap is as fast
  static constexpr std::size_t kMostSlots = 512;
  static constexpr std::size_t kEventsPerSlot = 4;  ///< aimed at, if kMostSlots allows it
  static constexpr std::size_t kSample = 256;
  static constexpr double kReach = 16.0;  ///< durations of the ring until far off
  static constexpr std::size_t kCrowdFarOff = std::size_t{1} << 16;

  [[nodiscard]] bool staged_first() const {
    return cursor_ != sorted_end_ && (near_.empty() || staged_[cursor_] < near_.front());
  }
  /// Slots are numbered from the start of the calendar; the ring holds those from open_ on.
  [[nodiscard]] double place_of(double time_s) const { return (time_s - first_s_) * slots_per_s_; }
  /// By way of a signed number, because x86 converts that in one instruction.
  [[nodiscard]] static std::uint64_t slot_at(double place) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(place));
  }
  void put_in_slot(std::uint64_t slot, const Event& event) {
    ring_[slot & mask_].push(event, blocks_);
    filled_[(slot & mask_) / 64] |= std::uint64_t{1} << (slot & 63U);
  }
  /// Beyond the ring.
  void put_far(const Event& event) {
    if (event.time_s >= remote_s_) return put_remote(event);
    far_.push(event, blocks_);
    ++far_size_;
    far_first_s_ = std::min(far_first_s_, event.time_s);
  }
  void put_remote(const Event& event) {
    remote_.push(event, blocks_);
    ++remote_size_;
    remote_first_s_ = std::min(remote_first_s_, event.time_s);
  }
  /// How many events are not far off.
  [[nodiscard]] std::size_t active() const { return size_ - remote_size_; }
  void push_near(const Event& event);
  void put_in_heap(const Event& event);
  void pop_near();
  void next_bucket();
  bool open_next_slot();
  void open(std::uint64_t slot);
  [[nodiscard]] std::uint64_t next_filled() const;
  bool fetch_far();
  void take_in_far();
  bool fits_badly();
  void gather();
  void take_in_remote();
  void spread_out();
  void lay_out();
  void take_all_near();
  [[nodiscard]] double sampled_horizon();
  void stage(EventList& slot);
  void sort_bucket(Event* first, Event* last);

  std::size_t size_ = 0;
  std::vector<Event> near_;  ///< 4-ary heap: all events, or those scheduled into the open slot
  std::size_t heap_enough_ = kHeapEnough;
  static constexpr std::size_t kLevels = 5;  ///< of the heap, at which risen() looks
  std::array<std::size_t, kLevels> rise_{};  ///< places in near_, by level
  std::size_t risen_ = 0;                    ///< how many of them the last pop() has filled

  EventBlocks blocks_;
  std::vector<EventList> ring_;                          ///< empty while the heap holds everything
  std::array<std::uint64_t, kMostSlots / 64> filled_{};  ///< bit i: ring_[i] may have events
  std::uint64_t mask_ = 0;                               ///< the number of slots less 1
  std::uint64_t open_ = 0;                               ///< the slot whose events are staged
  double first_s_ = 0.0;                                 ///< start of slot 0
  double slots_per_s_ = 0.0;
  double near_end_ = std::numeric_limits<double>::infinity();   ///< the slot after the open one
  double far_begin_ = std::numeric_limits<double>::infinity();  ///< the slot after the ring's last
  EventList far_;                                               ///< from far_begin_ on
  EventList remote_;  ///< far off: such as from remote_s_ on, and not due before far_
  std::size_t remote_size_ = 0;
  std::size_t remote_kept_ = 0;  ///< of those, when they were last thinned out
  double remote_s_ = std::numeric_limits<double>::infinity();
  double remote_first_s_ = std::numeric_limits<double>::infinity();
  std::size_t far_size_ = 0;
  double far_first_s_ = std::numeric_limits<double>::infinity();
  std::size_t opened_ = 0;      ///< events in slots that have opened since the layout was checked
  std::uint64_t checked_ = 0;   ///< the slot that was open then
  std::size_t put_far_ = 0;     ///< events pushed beyond the ring since then
  std::size_t fetched_at_ = 0;  ///< opened_ when far events were last looked through
  std::vector<double> sample_;

  std::vector<Event> staged_;  ///< the open slot, bucket after bucket
  std::vector<std::uint32_t> bucket_end_;
  std::vector<std::uint32_t> narrow_end_;  ///< the same within a bucket that is dealt once more
  std::vector<Event> unsorted_;
  std::size_t bucket_ = 0;      ///< next bucket to sort
  std::size_t cursor_ = 0;      ///< next event of the sorted bucket
  std::size_t sorted_end_ = 0;  ///< end of the sorted bucket
};

}  // namespace faultline::engine
