// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/job/run_job.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/engine/job/detection_bound.hpp"
#include "sim/engine/job/router_outages.hpp"
#include "sim/platform/transit.hpp"

namespace faultline::engine {

namespace {

bool on_daemons(const scenario::ComponentChoice& choice) {
  return choice.registration != nullptr &&
         residence_of(*choice.registration, choice.options) != Residence::ranks;
}

/// True if dead ranks can go on from images.
bool can_bring_back(const scenario::RunSpec& spec) {
  const Registration* logging = spec.component(Family::message_logging).registration;
  return logging != nullptr && logging->as<RecoveryTraits>().takes_images;
}

JobShape shape_of(const scenario::RunSpec& spec, std::uint64_t seed, std::uint64_t replication) {
  JobShape shape = scenario::job_shape(spec);
  shape.seed = seed;
  shape.replication = replication;
  return shape;
}

}  // namespace

RunJob::RunJob(const scenario::RunSpec& given, platform::Topology between, std::uint64_t with_seed,
               std::uint64_t of_replication)
    : spec(given),
      seed(with_seed),
      replication(of_replication),
      shape(shape_of(given, seed, replication)),
      nodes(shape.nodes + given.platform.spare_nodes),
      routes(std::move(between)),
      awaits_announcement(given.component(Family::termination).registration != nullptr),
      daemons_share_cores(given.platform.daemon_core == scenario::DaemonCore::shared),
      shares_cores(daemons_share_cores || given.platform.progress == scenario::Progress::shared),
      fences(given.fences()),
      pace(given, nodes, seed, replication),
      slows(pace.varies()),
      has_costs_by_size(platform::has_costs_by_size(given.platform.machine)),
      least_receive_overhead_s(platform::least_receive_overhead_s(given.platform.machine)) {
  std::vector<faults::Outage> outages;
  if (given.routers_fail()) outages = router_outages(spec, fault_target());
  cut = faults::NetworkCut(given.partitions, shape.processes, nodes, outages);
  loses_messages = cut.loses() || given.platform.detection_loss_probability > 0.0;
  disturbance = scenario::disturbance_of(given, outages);
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const scenario::ComponentChoice& choice = spec.components[family];
    if (choice.registration == nullptr) continue;
    factories[family] = choice.registration->make(choice.options, shape);
    if (choice.registration->as<DetectorTraits>().exit_notice)
      exit_notice = choice.registration->as<DetectorTraits>().exit_notice(choice.options);
  }
  const Registration* detector = spec.component(Family::failure_detection).registration;
  detector_is_accurate = detector != nullptr && detector->as<DetectorTraits>().accurate;
  const bool may_err = detector != nullptr && !detector_is_accurate;
  expects_deaths =
      given.has_faults() ||
      (may_err && (disturbance.is_ever() || given.stalls() || scenario::errs_as_stated(given)));
  // Where the detector can err, ranks may go back although no fault is stated.
  audits_channels =
      can_bring_back(given) && (given.has_faults() || given.driver_kills || (fences && may_err));
  takes_back =
      detector != nullptr && !shape.reports_are_final &&
      detector->as<DetectorTraits>().takes_back &&
      detector->as<DetectorTraits>().takes_back(spec.component(Family::failure_detection).options);
  if (!states_bound(spec)) return;
  detection = quiet_case(spec.platform, shape, routes);
  detection_bound_s = longest_bound_s(spec.component(Family::failure_detection), detection);
}

double RunJob::send_overhead_s(std::uint64_t bytes, bool is_local) const {
  return platform::send_overhead_s(spec.platform.machine, static_cast<double>(bytes), is_local);
}

double RunJob::receive_overhead_s(std::uint64_t bytes, bool is_local) const {
  return platform::receive_overhead_s(spec.platform.machine, static_cast<double>(bytes), is_local);
}

/// Ranks fill one node after the other, or are dealt round the nodes, or are placed by a random
/// permutation, which the seed determines.
Placement RunJob::placement() const {
  const scenario::Mapping mapping = spec.platform.mapping;
  if (mapping == scenario::Mapping::block)
    return Placement::in_blocks(shape.processes, nodes, shape.processes_per_node);
  std::vector<NodeId> node_of(shape.processes);
  for (Rank rank = 0; rank < shape.processes; ++rank)
    node_of[rank] = mapping == scenario::Mapping::round_robin ? rank % shape.nodes
                                                              : rank / shape.processes_per_node;
  Stream random(seed, replication, Purpose::mapping, 0);
  if (mapping == scenario::Mapping::random)
    for (std::uint32_t i = shape.processes; i > 1; --i)
      std::swap(node_of[i - 1], node_of[random.below(i)]);
  return {std::move(node_of), nodes};
}

faults::FaultTarget RunJob::fault_target() const {
  faults::FaultTarget target = scenario::fault_target(spec.platform);
  target.job = shape;
  target.node_of = placement().nodes_of_ranks();
  target.routes = &routes;
  return target;
}

bool RunJob::nodes_matter() const {
  return std::any_of(std::begin(spec.components), std::end(spec.components), on_daemons) ||
         std::any_of(spec.faults.begin(), spec.faults.end(),
                     [](const faults::FaultSpec& fault) {
                       return !fault.nodes.empty() || !fault.daemons.empty();
                     }) ||
         std::any_of(spec.fault_sources.begin(), spec.fault_sources.end(), faults::strikes_nodes);
}

/// A layer that recovers can restart an actor on any node.
bool RunJob::shares_nics() const {
  return shape.processes_per_node > 1 ||
         spec.component(Family::message_logging).registration != nullptr ||
         std::any_of(std::begin(spec.components), std::end(spec.components), on_daemons);
}

}  // namespace faultline::engine
