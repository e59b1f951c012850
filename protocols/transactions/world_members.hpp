// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "protocols/transactions/world_messages.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/world.hpp"

namespace faultline::transactions {

/// Which processes are in the world of this process, and which of them are dead, as far as it
/// knows. A process of the start is in the first world; a new one takes itself for a member of that
/// until it has entered another. A plain value.
class WorldMembers {
 public:
  WorldMembers(std::uint32_t processes, ActorId self)
      : processes_(processes), self_(self), world_(processes) {}

  // ---- the world ------------------------------------------------------------------------------
  [[nodiscard]] const WorldEpoch& epoch() const { return epoch_; }
  [[nodiscard]] const World& world() const { return world_; }
  [[nodiscard]] ActorId self() const { return self_; }
  /// The rank of this process.
  [[nodiscard]] Rank rank() const { return *world_.rank_of(self_); }
  /// Ranks of the job at the start.
  [[nodiscard]] std::uint32_t processes() const { return processes_; }
  [[nodiscard]] bool has(ActorId actor) const { return world_.rank_of(actor).has_value(); }
  /// The processes with these ranks, in their order.
  [[nodiscard]] std::vector<ActorId> actors_of(const std::vector<Rank>& ranks) const;
  /// Which incarnation of a process is in this world.
  [[nodiscard]] std::uint16_t life_of(ActorId actor) const;
  [[nodiscard]] Incarnation process_of(ActorId actor) const { return {actor, life_of(actor)}; }
  /// The process with that rank.
  [[nodiscard]] Incarnation process_with(Rank rank) const {
    return process_of(world_.actor_of(rank));
  }
  /// True for an incarnation that has been replaced in this world.
  [[nodiscard]] bool is_replaced(Incarnation process) const {
    return process.number < life_of(process.actor);
  }
  /// Nobody is new in the first world.
  [[nodiscard]] const Replacements& replacements() const;
  /// True for a process that is new in this world.
  [[nodiscard]] bool is_fresh(ActorId actor) const;
  /// What others must know of this world; null of the first one.
  [[nodiscard]] const std::shared_ptr<const WorldNews>& news() const { return news_; }
  /// This process is in that world from now on, and forgets the dead of earlier ones.
  void enter(const WorldEpoch& epoch, std::shared_ptr<const WorldNews> news);

  // ---- the dead -------------------------------------------------------------------------------
  /// The dead of this world, ascending.
  [[nodiscard]] const std::vector<Incarnation>& dead() const { return dead_; }
  /// Notes a death. False if it or a later one of that actor is known.
  bool add_dead(Incarnation process);
  /// Forgets what `is_past` holds of.
  template <class Condition>
  void forget_dead(const Condition& is_past) {
    std::erase_if(dead_, is_past);
  }
  /// True if the process of this world is dead, or the world does not have that actor: it was left
  /// out, since it died in an earlier one.
  [[nodiscard]] bool is_dead(ActorId actor) const;
  /// The same for the process with that rank of this world.
  [[nodiscard]] bool is_gone(Rank rank) const { return is_dead(world_.actor_of(rank)); }
  /// True if that incarnation is known to be dead.
  [[nodiscard]] bool has_died(Incarnation process) const;
  /// True for the death of a process that this world has not.
  [[nodiscard]] bool is_past(Incarnation dead) const {
    return is_replaced(dead) || !has(dead.actor);
  }

  // ---- the next world -------------------------------------------------------------------------
  /// The first live process, which puts the next world together. A process that has been told that
  /// it is dead itself, and all others are, can turn to nobody else.
  [[nodiscard]] ActorId leader() const;
  /// The world without the dead, or with new processes for them: they have the ranks of the dead
  /// (`rebuild`), the last ranks (`merge`), or there are none (`shrink`).
  [[nodiscard]] World next(const std::string& recovery) const;

  void digest(Digest& into) const { into.add(epoch_, replacements(), dead_, world_); }

 private:
  std::uint32_t processes_;
  ActorId self_;
  WorldEpoch epoch_;
  World world_;
  std::vector<Incarnation> dead_;
  std::shared_ptr<const WorldNews> news_;
};

}  // namespace faultline::transactions
