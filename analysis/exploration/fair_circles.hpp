// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/exploration/death_bounds.hpp"
#include "analysis/exploration/progress_check.hpp"

namespace faultline::exploration {

/// A circle of states in which a run can stay for ever although it is fair: whatever can happen all
/// the time does happen in it. Nobody dies in it.
struct FairCircle {
  StateNumber state = kNoState;  ///< the first state of the circle that was found
  std::vector<Step> round;       ///< the steps from that state back to it
};

/// What a search for such circles has found.
struct FairnessCheck {
  bool complete = true;  ///< false: too many states are in circles
  std::optional<FairCircle> circle;
};

/// Judges the circles of a complete search. Where the network keeps the order of messages, every
/// message arrives some day if every channel goes on. Where it does not, nothing is judged.
///
/// A run that goes through all of a strongly connected component again and again is fair if each
/// event that is possible in all of its states happens in one of its steps. If such an event leads
/// out of the component, no run stays in any part of it.
///
/// `digest_of` tells states apart as the search does, without what has gone wrong before. If the
/// search takes one state for several in which ranks have changed places, the component is that of
/// a state itself: a way to one that it could become is the beginning of a way back to it, because
/// ranks that change places in the same way again and again come back to their own.
///
/// Throws SearchStopped if it may not go on.
FairnessCheck find_fair_circle(
    const StepGraph& graph, const ExplorationRequest& request, const std::vector<Start>& starts,
    const SeenStates& seen,
    const std::function<StateDigest(const engine::StepwiseEngine&)>& digest_of,
    const MayGoOn& may_go_on);

}  // namespace faultline::exploration
