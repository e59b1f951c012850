// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/boxed.hpp"
#include "sim/core/component.hpp"
#include "sim/core/component_memory.hpp"
#include "sim/core/message.hpp"
#include "sim/core/types.hpp"
#include "sim/engine/actors/due.hpp"
#include "sim/engine/actors/known_lives.hpp"
#include "sim/engine/actors/refusals.hpp"

namespace faultline::engine {

/// A timer that has been set. The event with the same serial number fires it.
struct ArmedTimer {
  std::uint64_t key;
  double due_s;
  std::uint32_t serial;
  Family family;
  bool background;
  bool held = false;  ///< it has run out, and message logging lets it wait (OrdersLocalEvents)
};

/// A computation on a worker core, or waiting for one.
struct Computation {
  double duration_s;
  double end_s;  ///< its end once it runs; messages delay it under progress = shared
  std::uint64_t tag;
  std::uint32_t serial;
  Family family;
  bool held = false;  ///< its time is over, and message logging lets it wait (OrdersLocalEvents)
};

/// A flush that has not been answered.
struct Flush {
  Incarnation peer;
  Family family;  ///< of the component that asked
};

/// State that only few actors need at any moment. It is kept apart, so that a million actors stay
/// small.
struct alignas(kCacheLine) RareState : InComponentStorage {
  // What every message looks at is the first cache line, where these vectors begin and end.
  std::vector<Due> due;          ///< what waits for the processor, in the order in which it was due
  std::vector<Message*> fenced;  ///< sent messages that a fence holds until earlier ones are out
  ComponentVector<Computation> running;
  // Messages of message logging look at this, too.
  Message* logging_tail = nullptr;  ///< the last of them in the inbox
  bool awaits_processor = false;    ///< the first of `due` has an event
  bool awaits_start = false;        ///< a new incarnation of which message logging runs alone
  std::vector<ArmedTimer> timers;
  ComponentVector<Computation> queued;  ///< first in, first out
  std::vector<Message*> early;          ///< messages of a phase that has not begun here
  std::vector<Flush> flushing;          ///< that have not been answered yet
  std::vector<Incarnation> links;       ///< open connections, sorted
  std::vector<ActorId> linked_by;       ///< actors that may hold a connection to this one, sorted
  Refusals refused;
  KnownLives restarted;
  std::array<std::uint32_t, kFamilies> on_sent_due{};  ///< sent messages whose on_sent is to come

  /// The timer with that serial number, or null.
  [[nodiscard]] const ArmedTimer* timer(std::uint32_t serial) const {
    const auto found = std::find_if(timers.begin(), timers.end(),
                                    [&](const ArmedTimer& one) { return one.serial == serial; });
    return found == timers.end() ? nullptr : &*found;
  }
  /// The computation with that serial number, which runs, or null.
  [[nodiscard]] const Computation* computation(std::uint32_t serial) const {
    const auto found = std::find_if(running.begin(), running.end(),
                                    [&](const Computation& one) { return one.serial == serial; });
    return found == running.end() ? nullptr : &*found;
  }
  /// The notice or the soft error with that serial number, which is due. Null if there is none.
  [[nodiscard]] const Due* told(std::uint32_t serial) const {
    const auto found = std::find_if(due.begin(), due.end(), [&](const Due& one) {
      return one.serial == serial && !one.is_of_timer();
    });
    return found == due.end() ? nullptr : &*found;
  }
  /// How many of these there are. They keep the run alive, as timers do.
  [[nodiscard]] std::int64_t times_told() const {
    return std::count_if(due.begin(), due.end(), [](const Due& one) { return !one.is_of_timer(); });
  }
};

/// What the simplest jobs do not have: the components below the workload, what they hold, and which
/// deaths they have declared. Lies in one cache line.
struct alignas(kCacheLine) LowerStack : InComponentStorage {
  std::array<Boxed<Component>, kFamilies - 1> components;
  std::array<std::int32_t, kFamilies> held{};  ///< application messages that each layer holds
  /// The deaths that this actor has declared, by their numbers, sorted. A daemon's death is also
  /// that of the ranks that died with it. Here, because every rank of a job hears of a death, and
  /// most have no other rare state.
  Boxed<std::vector<std::uint32_t>> heard;

  [[nodiscard]] Boxed<Component>& place_of(Family family) {
    return components[index_of(family) - 1];
  }
  [[nodiscard]] Component* component(Family family) const {
    return components[index_of(family) - 1].get();
  }
};
static_assert(index_of(Family::workload) == 0 && sizeof(LowerStack) == kCacheLine);

/// One actor: its stack, its communication processor and its inbox. A million of them are most of
/// the memory of a large job, so whatever not every actor needs lies apart.
struct alignas(kCacheLine) ActorState {
  Boxed<Component> workload;
  Boxed<LowerStack> lower;
  Boxed<RareState> rare_state;
  double cpu_free_s = 0.0;        ///< when its communication processor is free again
  Message* inbox_head = nullptr;  ///< the first message that waits
  Message* inbox_tail = nullptr;  ///< the last one, if there is any
  std::uint32_t phase = 0;
  std::int32_t computing = 0;      ///< computations of the workload, running or queued
  std::int32_t declared_work = 0;  ///< local work that the workload has declared
  std::uint16_t incarnation = 0;
  std::uint8_t present = 0;  ///< bit f: it has a component of that family
  bool alive : 1 = true;
  bool active : 1 = false;
  bool wake_pending : 1 = false;
  bool announced : 1 = false;  ///< it has announced the current phase
  bool finished : 1 = false;

  /// Is it alive, and in that one of its lives?
  [[nodiscard]] bool lives_as(std::uint16_t number) const { return alive && incarnation == number; }
  [[nodiscard]] Boxed<Component>& place_of(Family family) {
    if (family == Family::workload) return workload;
    return lower_stack().place_of(family);
  }
  LowerStack& lower_stack() {
    if (!lower) lower = std::make_unique<LowerStack>();
    return *lower;
  }
  /// The deaths that it has declared; see LowerStack.
  [[nodiscard]] const std::vector<std::uint32_t>& heard() const {
    static const std::vector<std::uint32_t> none;
    return lower && lower->heard ? *lower->heard : none;
  }
  [[nodiscard]] Component* component(Family family) const {
    if (family == Family::workload) return workload.get();
    return lower ? lower->component(family) : nullptr;
  }
  // The registration of a component vouches for its role.
  [[nodiscard]] TerminationDetector* termination() const {
    return static_cast<TerminationDetector*>(component(Family::termination));
  }
  /// A component of a family whose role is recovery.
  [[nodiscard]] RecoveryLayer* recovery(Family family) const {
    return static_cast<RecoveryLayer*>(component(family));
  }
  RareState& rare() {
    if (!rare_state) rare_state = std::make_unique<RareState>();
    return *rare_state;
  }
  [[nodiscard]] bool inbox_is_empty() const { return inbox_head == nullptr; }
  /// Messages of message logging stand in the order of arrival before all others.
  void put_in(Message* message) {
    Message* before = inbox_is_empty() ? nullptr : inbox_tail;
    if (message->channel == Family::message_logging)
      before = std::exchange(rare().logging_tail, message);
    put_in_behind(before, message);
  }
  /// Puts a message of another family back that has arrived before all of these.
  void put_back_in(Message* message) {
    put_in_behind(rare_state ? rare_state->logging_tail : nullptr, message);
  }
  void put_in_behind(Message* before, Message* message) {
    Message*& place = before == nullptr ? inbox_head : before->next;
    message->next = std::exchange(place, message);
    if (message->next == nullptr) inbox_tail = message;
  }
  /// The first message. There is one.
  Message* take_out() {
    Message* message = inbox_head;
    if (message->channel == Family::message_logging && rare_state->logging_tail == message)
      rare_state->logging_tail = nullptr;
    inbox_head = message->next;
    return message;
  }
  /// Replaces all pointers to messages that wait here by what `to` makes of them.
  template <class To>
  void repoint_messages(To to) {
    if (!inbox_is_empty()) inbox_tail = to(inbox_tail);
    inbox_head = to(inbox_head);
    if (!rare_state) return;
    rare_state->logging_tail = to(rare_state->logging_tail);
    for (Message*& message : rare_state->early) message = to(message);
    for (Message*& message : rare_state->fenced) message = to(message);
  }
  /// The number of application messages that its layers hold. A layer that makes two messages of
  /// one lets go of more than it holds.
  [[nodiscard]] std::int64_t held() const {
    std::int64_t messages = 0;
    if (lower)
      for (const std::int32_t held : lower->held) messages += held;
    return messages;
  }
};
static_assert(sizeof(ActorState) == kCacheLine);

}  // namespace faultline::engine
