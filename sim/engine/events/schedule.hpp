// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/core/message.hpp"
#include "sim/engine/events/event.hpp"
#include "sim/engine/events/event_queue.hpp"

namespace faultline::engine {

/// What is going to happen, the clock, and what keeps the run alive. A run goes on as long as
/// something is in the foreground: an event that leads to more by itself, a timer that is set, or a
/// message in flight. Timers and messages can be in the background instead, as heartbeats are. A
/// timer or a message counts for itself, and not by its event, because events of timers stay when
/// these are cancelled, and a message can wait where it has no event.
class Schedule {
 public:
  // ---- the clock -----------------------------------------------------------------------------
  [[nodiscard]] double now_s() const { return now_s_; }
  void set_now_s(double time_s) { now_s_ = time_s; }
  /// How many events have come.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  void count_event() { ++events_; }

  // ---- what is going to happen ---------------------------------------------------------------
  void add(double time_s, EventKind kind, Message* message);
  void add(double time_s, EventKind kind, std::uint32_t actor, std::uint32_t detail);
  /// True if nothing is.
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  /// What happens next; there is something.
  [[nodiscard]] const Event& next() { return queue_.top(); }
  /// Takes it out.
  Event take_next() { return queue_.pop(); }
  /// Takes out the event with that order. Throws std::out_of_range if there is none.
  Event take(std::uint64_t order) { return queue_.take_out(order); }
  /// An event that has been taken out begins: it no longer keeps the run alive by itself.
  void begin(const Event& event) {
    if (keeps_run_alive(event.kind())) --foreground_;
  }
  /// Removes events far in the future that will have no effect, if there are very many.
  template <class IsVoid>
  void thin_out(const IsVoid& is_void) {
    if (queue_.is_crowded_far_off()) queue_.thin_out_far_off(is_void);
  }
  /// All of it, for whoever looks ahead or at everything.
  [[nodiscard]] const EventQueue& queue() const { return queue_; }
  /// Replaces the pointers of all events about messages by what `to` makes of them.
  template <class To>
  void repoint_messages(To to) {
    queue_.repoint_messages(to);
  }

  // ---- what keeps the run alive --------------------------------------------------------------
  /// Something that is no event does so from now on: a timer, or a fault that is sure to come.
  void keep_alive(bool in_background) { ++count(in_background); }
  /// A message does so until it is handled, or put aside for a later phase.
  void keep_alive(const Message& message) { keep_alive(is_in_background(message)); }
  void let_go(bool of_background) { --count(of_background); }
  void let_go(const Message& message) { let_go(is_in_background(message)); }
  [[nodiscard]] std::int64_t foreground() const { return foreground_; }
  [[nodiscard]] std::int64_t background() const { return background_; }
  [[nodiscard]] static bool is_in_background(const Message& message) {
    return (message.flags & kBackground) != 0;
  }

 private:
  std::int64_t& count(bool of_background) { return of_background ? background_ : foreground_; }

  EventQueue queue_;
  double now_s_ = 0.0;
  std::uint64_t sequence_ = 0;  ///< of the event that was added last
  std::int64_t foreground_ = 0;
  std::int64_t background_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace faultline::engine
