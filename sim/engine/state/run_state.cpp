// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/state/run_state.hpp"

#include <utility>

namespace faultline::engine {

namespace {

faults::FaultPlan planned_faults(const RunJob& job, const Placement& placement) {
  faults::FaultPlan plan(job.spec.faults, job.shape);
  if (job.spec.fault_sources.empty()) return plan;
  const scenario::PlatformSpec& platform = job.spec.platform;
  const faults::FaultTarget target{
      .job = job.shape,
      .node_of = placement.nodes_of_ranks(),
      .routes = &job.routes,
      .machine = platform.xml_path.empty() ? &platform.machine : nullptr,
      .whole_machine = platform.whole_machine};
  for (const faults::FaultSourceChoice& source : job.spec.fault_sources) plan.add(source, target);
  return plan;
}

}  // namespace

RunState::RunState(const RunJob& job)
    : SharedState(job),
      network(job, actors.size()),
      membership(planned_faults(job, placement), job.nodes_matter() ? job.nodes : 0),
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
