// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::failure_detection {

/// The state of a member in an update, or in another member's opinion.
enum class Standing : std::uint8_t { alive, suspect, dead };

/// News about a member that members of `swim` send each other.
struct SwimUpdate {
  Incarnation about;
  Standing standing = Standing::alive;
  /// How often that member had denied a suspicion. The SWIM paper and memberlist call this number
  /// the member's incarnation; it has nothing to do with Incarnation, one life of an actor.
  std::uint32_t refutations = 0;
  ActorId by = kNobody;  ///< the member that suspects it

  void digest(Digest& into) const { into.add(about, standing, refutations, by); }
};

using SwimUpdates = std::vector<SwimUpdate>;

/// The updates that a member has still to pass on, at most one about each actor. Updates that it
/// has sent least often come first, and of these the newest.
class UpdateQueue {
 public:
  [[nodiscard]] bool empty() const { return order_.empty(); }
  /// A new update takes the place of an older one about the same actor.
  void add(const SwimUpdate& update);
  /// The updates for one message, at most `count`. Each is taken `limit` times, then dropped.
  [[nodiscard]] SwimUpdates take(std::size_t count, std::uint32_t limit);
  void digest(Digest& into) const;

 private:
  /// The times sent, the number added after it (as a difference from the largest number), and the
  /// actor.
  using Place = std::tuple<std::uint32_t, std::uint64_t, ActorId>;
  struct Queued {
    SwimUpdate update;
    Place place;
  };

  std::map<ActorId, Queued> updates_;
  std::set<Place> order_;
  std::uint64_t added_ = 0;
};

}  // namespace faultline::failure_detection
