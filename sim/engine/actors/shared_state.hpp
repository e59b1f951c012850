// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sim/core/large_pages.hpp"
#include "sim/core/message.hpp"
#include "sim/core/placement.hpp"
#include "sim/engine/actors/actor_state.hpp"
#include "sim/engine/actors/roll.hpp"
#include "sim/engine/events/schedule.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/truth/ground_truth.hpp"

namespace faultline::engine {

/// The messages of a run. Whoever copies them repoints what points to them.
struct Messages : MessagePool {
  Messages() = default;
  Messages(const Messages&) = default;
  Messages(Messages&&) noexcept = default;
  Messages& operator=(const Messages& other) { return *this = Messages(other); }
  Messages& operator=(Messages&&) noexcept = default;
  ~Messages() = default;
};

/// What of a run's state all rooms share: the clock and what is to happen, the records of actors,
/// where they lie and how many live, the messages, and what is true of all that. One value, so that
/// a room finds all of it from one place.
struct SharedState {
  explicit SharedState(const RunJob& job)
      : actors(job.shape.processes + (job.nodes_matter() ? job.nodes : 0)),
        placement(job.placement()),
        roll(job.shape.processes),
        truth(job) {}

  Schedule schedule;
  LargeVector<ActorState> actors;  ///< ranks, then one daemon per node if nodes matter
  Placement placement;
  Roll roll;
  Messages pool;
  GroundTruth truth;
};

}  // namespace faultline::engine
