// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/core/types.hpp"

namespace faultline::engine {

/// What the dead had in flight when somebody first asked, by receiver. The dead send nothing more,
/// so all of theirs that is in flight later is among it. That makes a flush cheap: after a death,
/// all ranks of a job ask whether something of the dead is still on its way to them. It only
/// repeats what the messages say, so it is no part of the state, and a copy begins without it.
class LastMessages {
 public:
  LastMessages() = default;
  LastMessages(const LastMessages&) {}
  LastMessages(LastMessages&&) noexcept = default;
  LastMessages& operator=(const LastMessages& other) {
    if (this != &other) by_sender_.clear();
    return *this;
  }
  LastMessages& operator=(LastMessages&&) noexcept = default;
  ~LastMessages() = default;

  /// True if `is_meant` says so of a message that may be one of a dead incarnation to that actor.
  /// Some have come or been lost meanwhile, and another message can have their place.
  template <class IsMeant>
  [[nodiscard]] bool any(Incarnation dead, ActorId to, MessagePool& pool, IsMeant is_meant) {
    const auto [entry, is_new] = by_sender_.try_emplace(dead);
    if (is_new) entry->second = found(dead, pool);
    const auto [first, last] = std::equal_range(entry->second.begin(), entry->second.end(),
                                                ToActor{to, nullptr}, comes_before);
    return std::any_of(first, last, [&](const ToActor& one) { return is_meant(*one.message); });
  }

 private:
  struct ToActor {
    ActorId to;
    Message* message;
  };

  static bool comes_before(const ToActor& a, const ToActor& b) { return a.to < b.to; }
  static std::vector<ToActor> found(Incarnation dead, MessagePool& pool) {
    std::vector<ToActor> all;
    pool.for_each_in_flight([&](Message& message) {
      if (Incarnation{message.from, message.from_incarnation} == dead)
        all.push_back({message.to, &message});
    });
    std::sort(all.begin(), all.end(), comes_before);
    return all;
  }

  std::map<Incarnation, std::vector<ToActor>> by_sender_;
};

}  // namespace faultline::engine
