// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/engine/events/event.hpp"

namespace faultline::engine {

/// Events that happen in the order in which they were scheduled: under fifo ordering, the arrivals
/// from one actor at another, and each actor's on_sent; and what waits for the NIC of a node. All
/// other events of a kind have no order.
struct Lane {
  EventKind kind;
  ActorId from;
  ActorId to;

  [[nodiscard]] bool orders() const { return from != kNobody; }
  friend auto operator<=>(const Lane&, const Lane&) = default;  // NOLINT(*-nullptr)
};

/// Something that is scheduled. Its content says what it will do, and not where it is stored.
struct ScheduledPart {
  StateDigest content;
  std::uint64_t order;  ///< of the event; greater if it was scheduled later
  Lane lane;
  EventKind kind;
  ActorId actor;                     ///< to whom it will happen
  ActorId from = kNobody;            ///< the sender of a message
  bool is_application = false;       ///< a message of the workload
  const Message* message = nullptr;  ///< that arrives, until the state changes
};

/// The state of a run, taken apart. A step of one actor changes the part of that actor, the common
/// one, and what is scheduled, and depends on nothing else, but for what
/// StepwiseEngine::reach() says. Equal parts have equal digests.
struct StateParts {
  struct Actor {
    StateDigest content;
    bool alive;
    bool active;  ///< its workload is
    bool holds;   ///< its layers hold messages of the workload, or it has not handled some
  };
  std::vector<Actor> actors;
  /// Everything that belongs to no actor: which actors have died, what the auditor has still to
  /// judge, whether the run is over. And what all actors together amount to and a step may ask for,
  /// such as how many of them have announced. But not how many are active, and how much is in
  /// flight: a step only asks whether nothing is.
  StateDigest common;
  bool ended = false;  ///< the run has stopped, or a promise is broken
  /// False if a step may depend on more than StateParts says: after restarts and false reports,
  /// with messages at a fence, where something does not keep the run alive, and where a layer has
  /// let go of more messages than it held.
  bool is_local = true;
  std::vector<ScheduledPart> scheduled;  ///< in the order of scheduling

  [[nodiscard]] StateDigest digest() const;
};

/// Adds up the digest of a state from what its parts contribute, in any order.
class DigestSum {
 public:
  /// What a part contributes, by what kind of part it is and its place among those of its kind: the
  /// number of an actor; of what is scheduled, how much of its lane comes before it.
  static StateDigest term_of_actor(const StateDigest& part, std::uint64_t actor) {
    return mixed(part, 2 * actor);
  }
  static StateDigest term_of_common(const StateDigest& part) { return part; }
  static StateDigest term_of_scheduled(const StateDigest& content, std::uint64_t before) {
    return mixed(content, 2 * before + 1);
  }
  void add(const StateDigest& term) {
    sum_.high += term.high;
    sum_.low += term.low;
  }
  [[nodiscard]] const StateDigest& value() const { return sum_; }

 private:
  static StateDigest mixed(const StateDigest& part, std::uint64_t place) {
    const std::uint64_t salt = split_mix(place);
    return {split_mix(part.high ^ salt), split_mix(part.low + salt)};
  }
  StateDigest sum_;
};

}  // namespace faultline::engine
