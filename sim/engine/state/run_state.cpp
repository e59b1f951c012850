// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/state/run_state.hpp"

#include <utility>

namespace faultline::engine {

namespace {

/// Those that kill. The network knows when routers fail.
faults::FaultPlan planned_faults(const RunJob& job) {
  faults::FaultPlan plan(job.spec.faults, job.shape);
  if (job.spec.fault_sources.empty()) return plan;
  const faults::FaultTarget target = job.fault_target();
  for (const faults::FaultSourceChoice& source : job.spec.fault_sources)
    if (!faults::cuts_off(source)) plan.add(source, target);
  return plan;
}

}  // namespace

RunState::RunState(const RunJob& job)
    : SharedState(job),
      network(job, actors.size()),
      membership(planned_faults(job), job.nodes_matter() ? job.nodes : 0),
      tally(job) {
  for (ActorId daemon = job.shape.processes; daemon < actors.size(); ++daemon)
    actors[daemon].cpu_free_s = job.spec.platform.start_delay_s;
}

RunState RunState::copy() const {
  RunState other(*this);
  other.repoint_messages(*this);
  return other;
}

void RunState::become(const RunState& other) {
  *this = other;
  repoint_messages(other);
}

bool RunState::is_refused(const Message& message) const {
  const auto refuses = [&](ActorId actor) {
    return actor < actors.size() && actors[actor].rare_state &&
           actors[actor].rare_state->refused.refuse(message);
  };
  return refuses(message.to) || refuses(placement.daemon_of(placement.node_of(message.to)));
}

void RunState::repoint_messages(const RunState& from) {
  const auto own = [&](Message* message) { return pool.counterpart(message, from.pool); };
  for (ActorState& actor : actors) actor.repoint_messages(own);
  network.repoint_messages(own);
  schedule.repoint_messages(own);
}

}  // namespace faultline::engine
