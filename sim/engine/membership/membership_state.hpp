// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
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
#include "sim/faults/fault_plan.hpp"

namespace faultline::engine {

/// A restart that the resource manager has been asked for.
struct PendingRestart {
  Incarnation dead;
  NodeId node;
  RestartOn where;
  Incarnation asker;
};

/// A component for each family, where there is one.
using Components = std::array<Boxed<Component>, kFamilies>;

/// How often faults have killed somebody, and when they did.
struct Strikes {
  std::uint64_t count = 0;
  double first_s = 0.0;
  double last_s = 0.0;
};

/// What membership has of a run's state: faults that are to come, deaths, nodes that are out of
/// operation, and restarts. Faults, Notices, Reports and Restarts act on it; what a single actor
/// knows is in its record.
class MembershipState {
 public:
  /// `nodes`: how many can fail, which are all or none.
  MembershipState(FaultPlan plan, std::size_t nodes)
      : faults_(std::move(plan)), node_back_s_(nodes, -kNever) {}

  // ---- faults and deaths ---------------------------------------------------------------------
  [[nodiscard]] FaultPlan& faults() { return faults_; }
  [[nodiscard]] const FaultPlan& faults() const { return faults_; }
  [[nodiscard]] DeathList& deaths() { return deaths_; }
  [[nodiscard]] const DeathList& deaths() const { return deaths_; }
  /// A fault has killed somebody.
  void note_strike(double now_s);
  [[nodiscard]] const Strikes& strikes() const { return strikes_; }

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

  // ---- restarts ------------------------------------------------------------------------------
  /// Returns the number of the restart.
  std::uint32_t await(const PendingRestart& pending);
  [[nodiscard]] PendingRestart& restart(std::uint32_t number) { return restarts_[number]; }
  /// The restart of an incarnation that somebody has asked for, or null.
  [[nodiscard]] PendingRestart* restart_of(Incarnation dead);
  [[nodiscard]] const std::vector<PendingRestart>& restarts() const { return restarts_; }
  /// The components of dead incarnations above message logging. They have reported nothing: what
  /// they have counted stays part of the result if the actor starts anew, but not if an image takes
  /// their place.
  [[nodiscard]] const std::map<ActorId, Components>& unreported() const { return unreported_; }
  [[nodiscard]] Components& unreported_of(ActorId actor) { return unreported_[actor]; }
  void forget_unreported(ActorId actor) { unreported_.erase(actor); }

  // ---- events --------------------------------------------------------------------------------
  /// The process that a notice tells of, or that a restart starts again; nobody for a fault.
  [[nodiscard]] Incarnation subject_of(const Event& event) const;
  /// True of a notice that its listener will not hear of any more.
  [[nodiscard]] bool has_no_effect(const Event& event, const LargeVector<ActorState>& actors) const;
  /// What an event will do. Its number in some list depends on the path that led to it.
  void add_content(const Event& event, Digest& into) const;

 private:
  FaultPlan faults_;
  DeathList deaths_;
  Strikes strikes_;
  std::vector<double> node_back_s_;  ///< by node; -kNever if it has not failed
  std::vector<PendingRestart> restarts_;
  std::map<ActorId, Components> unreported_;
};

}  // namespace faultline::engine
