// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/message.hpp"
#include "sim/core/types.hpp"
#include "sim/engine/actors/ordered.hpp"

namespace faultline::engine {

/// A peer that an actor has declared dead while it lived.
struct Refusal {
  Incarnation peer;
  double time_s;
  bool hears_detector = false;  ///< the peer can deny that, by words of its failure detector

  /// Is the message one of the peer that has entered the network since then, and refused?
  [[nodiscard]] bool covers(const Message& message) const {
    return message.inject_s > time_s && message.from == peer.actor &&
           message.from_incarnation == peer.number &&
           !(hears_detector && message.channel == Family::failure_detection);
  }
};

/// All of them, of one actor.
class Refusals {
 public:
  /// The actor declares a live incarnation dead, which it does not refuse yet.
  void add(const Refusal& refusal) { list_.insert(place_of(refusal.peer), refusal); }
  /// The actor no longer takes that incarnation for dead. False if it did not.
  bool remove(Incarnation peer) {
    const auto found = place_of(peer);
    if (found == list_.end() || found->peer != peer) return false;
    list_.erase(found);
    return true;
  }
  /// Whether and when it has. Null if it has not.
  [[nodiscard]] const Refusal* of(Incarnation peer) const {
    const auto found = place_of(peer);
    return found != list_.end() && found->peer == peer ? &*found : nullptr;
  }
  [[nodiscard]] bool refuse(const Message& message) const {
    const Refusal* refusal = of({message.from, message.from_incarnation});
    return refusal != nullptr && refusal->covers(message);
  }
  /// By ascending peer.
  [[nodiscard]] const std::vector<Refusal>& all() const { return list_; }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  void check() const {
    const auto rises = [](const Refusal& one, const Refusal& next) { return one.peer < next.peer; };
    invariant(ordered(list_, rises), "peers that an actor refuses are not sorted");
  }
  /// The times are no part of it. That a message will be refused is a part of the message's digest.
  void digest(Digest& into) const {
    into.add(list_.size());
    for (const Refusal& refusal : list_) into.add(refusal.peer);
  }

 private:
  [[nodiscard]] std::vector<Refusal>::const_iterator place_of(Incarnation peer) const {
    return std::lower_bound(
        list_.begin(), list_.end(), peer,
        [](const Refusal& refusal, Incarnation sought) { return refusal.peer < sought; });
  }

  std::vector<Refusal> list_;
};

}  // namespace faultline::engine
