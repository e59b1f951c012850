// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/core/boxed.hpp"
#include "sim/core/component.hpp"
#include "sim/core/context.hpp"
#include "sim/core/digest.hpp"
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

/// What membership has of a run's state: faults that are to come, deaths and restarts. Faults,
/// Notices, Reports and Restarts act on it; what a single actor knows is in its record.
struct MembershipState {
  explicit MembershipState(FaultPlan plan) : faults(std::move(plan)) {}

  /// Of a notice or a restart: who is dead, or is to start again.
  [[nodiscard]] Incarnation subject_of(const Event& event) const {
    return event.kind() == EventKind::restart ? pending_restarts[event.at.detail].dead
                                              : deaths[event.at.detail].dead;
  }
  /// True of a notice that its listener will not hear of any more.
  [[nodiscard]] bool has_no_effect(const Event& event, const ActorState& listener) const;
  /// What an event will do. Its number in some list depends on the path that led to it.
  void add_content(const Event& event, Digest& into) const;

  FaultPlan faults;
  DeathList deaths;
  /// By node: when it is in operation again after its last failure, -kNever if it has not failed.
  /// Empty if no node can fail.
  std::vector<double> node_back_s;
  std::vector<PendingRestart> pending_restarts;
  /// The components of dead incarnations above message logging. They have reported nothing: what
  /// they have counted stays part of the result if the actor starts anew, but not if an image takes
  /// their place.
  std::map<ActorId, Components> unreported;
  std::uint64_t faults_struck = 0;
  double first_fault_s = 0.0;
  double last_fault_s = 0.0;
};

}  // namespace faultline::engine
