// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/state/run_state.hpp"

#include <utility>

namespace faultline::engine {

namespace {

FaultPlan planned_faults(const RunJob& job, const Placement& placement) {
  FaultPlan plan(job.spec.faults, job.shape);
  if (job.spec.fault_sources.empty()) return plan;
  const PlatformSpec& platform = job.spec.platform;
  const FaultTarget target{.job = job.shape,
                           .node_of = placement.nodes_of_ranks(),
                           .routes = &job.routes,
                           .machine = platform.xml_path.empty() ? &platform.machine : nullptr,
                           .whole_machine = platform.whole_machine};
  for (const FaultSourceChoice& source : job.spec.fault_sources) plan.add(source, target);
  return plan;
}

}  // namespace

RunState::RunState(const RunJob& job)
    : nics(job.nodes),
      placement(job.placement()),
      nics_are_shared(job.shares_nics()),
      auditor(job.shape.processes),
      faults(planned_faults(job, placement)),
      roll{.live = job.shape.processes} {
  if (job.nodes_matter()) node_back_s.assign(job.nodes, -kNever);
  actors = LargeVector<ActorState>(job.shape.processes + node_back_s.size());
  outgoing = LargeVector<Outgoing>(actors.size());
  for (ActorId daemon = job.shape.processes; daemon < actors.size(); ++daemon)
    actors[daemon].cpu_free_s = job.spec.platform.start_delay_s;
  const auto streams = [&](Purpose purpose) {
    std::vector<Stream> of_actors;
    of_actors.reserve(actors.size());
    for (ActorId actor = 0; actor < actors.size(); ++actor)
      of_actors.emplace_back(job.seed, job.replication, purpose, actor);
    return of_actors;
  };
  const PlatformSpec& platform = job.spec.platform;
  if (platform.ordering == Ordering::unordered) network_random = streams(Purpose::network);
  if (platform.delay_noise) noise_random = streams(Purpose::delay_noise);
  if (platform.detection_loss_probability > 0.0) loss_random = streams(Purpose::detection_loss);
  if (job.audits_channels) channels.emplace(job.shape.processes);
  if (job.spec.component(Family::transactions).registration != nullptr) {
    blocks.emplace(job.shape.processes);
    recovery.emplace(job.shape.processes);
  }
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const Registration* registration = job.spec.components[family].registration;
    if (registration == nullptr) continue;
    control[family].resize(registration->message_kinds.size());
    reported[family] = MetricTotals(registration->metrics);
  }
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
  for (NicQueue& waiting : nic_queues) waiting.repoint_messages(own);
  for (BulkQueue& bulk : bulk_queues) bulk.waiting.repoint_messages(own);
  schedule.repoint_messages(own);
}

}  // namespace faultline::engine
