// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/action.hpp"
#include "sim/core/boxed.hpp"
#include "sim/core/component.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/large_pages.hpp"
#include "sim/core/types.hpp"
#include "sim/engine/actors/actor_state.hpp"
#include "sim/engine/events/event.hpp"
#include "sim/engine/membership/death_list.hpp"
#include "sim/engine/membership/fence_list.hpp"
#include "sim/faults/fault_plan.hpp"

namespace faultline::engine {

/// No node has been chosen yet.
inline constexpr NodeId kNoNode = kNobody;

/// A restart that the resource manager has been asked for.
struct PendingRestart {
  Incarnation dead;
  NodeId node;  ///< kNoNode: it still lives, or no node is free; the node is chosen later
  RestartOn where;
  Incarnation asker;
  /// The others that have asked before a node was chosen, and where it shall start. They ask again
  /// when one is.
  std::vector<std::pair<Incarnation, RestartOn>> others = {};

  /// Has that process asked?
  [[nodiscard]] bool is_asked_by(Incarnation life) const {
    return asker == life || std::any_of(others.begin(), others.end(),
                                        [life](const auto& other) { return other.first == life; });
  }
};

/// A component for each family, where there is one.
using Components = std::array<Boxed<Component>, kFamilies>;

/// How often faults have killed somebody, and when they did.
struct Strikes {
  std::uint64_t count = 0;
  double first_s = 0.0;
  double last_s = 0.0;
};

/// What membership has of a run's state: faults that are to come, deaths, fences, nodes that are
/// out of operation, and restarts. Faults, Notices, Fencing, Reports and Restarts act on it; what a
/// single actor knows is in its record.
class MembershipState {
 public:
  /// `nodes`: how many can fail, which are all or none.
  MembershipState(faults::FaultPlan plan, std::size_t nodes)
      : faults_(std::move(plan)), node_back_s_(nodes, -kNever) {}

  // ---- faults and deaths ---------------------------------------------------------------------
  [[nodiscard]] faults::FaultPlan& faults() { return faults_; }
  [[nodiscard]] const faults::FaultPlan& faults() const { return faults_; }
  [[nodiscard]] DeathList& deaths() { return deaths_; }
  [[nodiscard]] const DeathList& deaths() const { return deaths_; }
  /// A fault has killed somebody.
  void note_strike(double now_s);
  [[nodiscard]] const Strikes& strikes() const { return strikes_; }

  /// Whom the resource manager ends, because they are declared dead.
  [[nodiscard]] FenceList& fences() { return fences_; }
  [[nodiscard]] const FenceList& fences() const { return fences_; }

  // ---- nodes ---------------------------------------------------------------------------------
  /// The node fails, and is in operation again when all its repairs are done.
  void fail(NodeId node, double back_s) {
    node_back_s_[node] = std::max(node_back_s_[node], back_s);
  }
  [[nodiscard]] bool is_up(NodeId node, double now_s) const {
    return node_back_s_.empty() || node_back_s_[node] <= now_s;
  }
  /// Has it failed, and is it in operation again?
  [[nodiscard]] bool is_repaired(NodeId node, double now_s) const {
    return !node_back_s_.empty() && node_back_s_[node] > -kNever && is_up(node, now_s);
  }

  /// When it is in operation again, if it is not; kNever: never, or it is now.
  [[nodiscard]] double repair_s(NodeId node, double now_s) const {
    return is_up(node, now_s) ? kNever : node_back_s_[node];
  }

  // ---- restarts ------------------------------------------------------------------------------
  /// Returns the number of the restart.
  std::uint32_t await(const PendingRestart& pending);
  /// The process still lives. Returns the number of the restart.
  std::uint32_t await_death(const PendingRestart& pending);
  [[nodiscard]] PendingRestart& restart(std::uint32_t number) { return restarts_[number]; }
  /// The restart of an incarnation that somebody has asked for, or null.
  [[nodiscard]] PendingRestart* restart_of(Incarnation dead);
  [[nodiscard]] const std::vector<PendingRestart>& restarts() const { return restarts_; }
  /// The restart of an incarnation that was asked for while it lived, which it does not any more,
  /// by its number. Returned once.
  [[nodiscard]] std::optional<std::uint32_t> take_waiting(Incarnation dead);
  /// The numbers of those that wait for a death.
  [[nodiscard]] const std::vector<std::uint32_t>& waiting() const { return waiting_; }
  /// The components of dead incarnations above message logging. They have reported nothing: what
  /// they have counted stays part of the result if the actor starts anew, but not if an image takes
  /// their place.
  [[nodiscard]] const std::map<ActorId, Components>& unreported() const { return unreported_; }
  [[nodiscard]] Components& unreported_of(ActorId actor) { return unreported_[actor]; }
  void forget_unreported(ActorId actor) { unreported_.erase(actor); }

  // ---- events --------------------------------------------------------------------------------
  /// The process that a notice tells of, that a restart starts again, or that is fenced; nobody for
  /// a fault.
  [[nodiscard]] Incarnation subject_of(const Event& event) const;
  /// True of a notice that its listener will not hear of any more, and of the fence of a dead
  /// process.
  [[nodiscard]] bool has_no_effect(const Event& event, const LargeVector<ActorState>& actors) const;
  /// What an event will do. Its number in some list depends on the path that led to it.
  void add_content(const Event& event, Digest& into) const;

 private:
  faults::FaultPlan faults_;
  DeathList deaths_;
  Strikes strikes_;
  std::vector<double> node_back_s_;  ///< by node; -kNever if it has not failed
  std::vector<PendingRestart> restarts_;
  std::vector<std::uint32_t> waiting_;  ///< restarts that wait for a death
  FenceList fences_;
  std::map<ActorId, Components> unreported_;
};

}  // namespace faultline::engine
