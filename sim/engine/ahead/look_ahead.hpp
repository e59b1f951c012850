// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/engine/events/event.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/state/run_state.hpp"

namespace faultline::engine {

/// Fetches from memory what the next events need, while earlier ones are handled. With many
/// processes every event touches memory that is not in cache, and the queue knows roughly which
/// events come next. Changes no result.
class LookAhead {
 public:
  /// `link_free_s`: what LogGpEngine keeps of the links, by node and port.
  LookAhead(const RunJob& job, const RunState& state, const std::vector<double>& link_free_s);

  /// Called before each event.
  void go_on() {
    if (looks_at_ == Sight::nothing) return;
    look();
  }
  /// Does it fetch the first message of an inbox before that is handled?
  [[nodiscard]] bool sees_inboxes() const { return looks_at_ == Sight::slot; }

 private:
  /// Up to this number of components, to look ahead takes as long as to wait for memory, or longer.
  static constexpr std::uint64_t kComponentsInCache = 4096;
  static constexpr std::uint64_t kActorsInCache = 256;  ///< with their messages and logs
  static constexpr unsigned kEventsPerLook = 16;

  enum class Sight : std::uint8_t {
    nothing,
    messages,  ///< jobs whose messages and logs outgrow the cache, but not all components
    events,    ///< of each step one event
    slot       ///< several events at a time
  };
  /// What is fetched of an event, one after the other.
  enum class Step : std::uint8_t {
    message,
    actor,
    parts,
    components,
    inbox,
    state,    ///< of the components, as Ahead
    index,    ///< the same
    content,  ///< the same
    count
  };
  /// Events of the open slot that need another step. Copies, because the events of a slot change
  /// places. One may have come already when its step does: its message lies in the pool then, and
  /// may be another one.
  class Pending {
   public:
    void add(const Event& event, std::size_t place) {
      Entry& entry = entries_[end_++ % kMost];
      entry.event = event;  // in parts: an entry made elsewhere would be copied
      entry.place = place;
    }
    void clear() { end_ = 0; }
    [[nodiscard]] std::size_t end() const { return end_; }
    [[nodiscard]] const Event& event(std::size_t at) const { return entries_[at % kMost].event; }
    [[nodiscard]] std::size_t place(std::size_t at) const { return entries_[at % kMost].place; }

   private:
    static constexpr std::size_t kMost = 256;  ///< more than the first step is ahead of the last
    struct Entry {
      Event event;
      std::size_t place;  ///< in the slot
    };
    std::array<Entry, kMost> entries_{};
    std::size_t end_ = 0;
  };

  void look();
  void look_at_events();
  void look_at_slot();
  void take_steps();
  void look_at_messages();
  template <Step step>
  bool fetch(const Event& event) const;
  template <Step step>
  void fetch(const Event* event) const {
    if (event != nullptr) fetch<step>(*event);
  }
  void fetch_head(const Event& event) const;
  void fetch_actor(const Event& event) const;
  bool fetch_parts(const Event& event) const;
  bool fetch_components(const Event& event) const;
  void fetch_stack(ActorId actor, bool is_computed) const;
  void fetch_inbox(const Event& event) const;
  [[nodiscard]] static ActorId receiver_at(const Event& event);
  [[nodiscard]] const Message* received_at(const Event& event) const;
  void fetch_for_receiver(const Event& event, Ahead what) const;
  void fetch_queue(NodeId node) const;
  void fetch_links(NodeId node) const;
  [[nodiscard]] bool will_wait(const Event& arrival) const;
  [[nodiscard]] bool is_put_off(const Event& arrival) const;
  [[nodiscard]] bool joins_others(const Event& arrival) const;
  template <Step step>
  void fetch_in_slot(std::size_t distance, Pending* next = nullptr);
  template <Step step>
  void fetch_pending(const Pending& from, std::size_t distance, Pending* next = nullptr);

  [[nodiscard]] NodeId node_of(ActorId actor) const { return state_.placement.node_of(actor); }
  /// The messages that wait before a NIC.
  [[nodiscard]] NicQueue before_nic(NodeId node) const {
    const NicQueue* queue = state_.network.queue(node);
    return queue == nullptr ? NicQueue() : *queue;
  }

  const RunJob& job_;
  const RunState& state_;
  const std::vector<double>& link_free_s_;
  bool logs_messages_;  ///< there is message logging
  Sight looks_at_;
  unsigned until_look_ = 1;      ///< events until the next look ahead
  std::uint64_t looked_at_ = 0;  ///< the open slot, by the number of openings
  /// How many events of the slot, or of those pending, each step has been done for.
  std::array<std::size_t, static_cast<std::size_t>(Step::count)> done_{};
  Pending taken_;    ///< those that no NIC puts off
  Pending handled_;  ///< of these, those that a receiver will handle at once
};

}  // namespace faultline::engine
