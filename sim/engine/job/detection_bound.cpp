// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/job/detection_bound.hpp"

#include <algorithm>

#include "sim/core/registry.hpp"
#include "sim/platform/transit.hpp"

namespace faultline::engine {

namespace {

/// What a message costs a processor and a NIC, with the wait of a daemon for its core, and that of
/// a message for others under `unordered`.
MessageCosts message_costs(const scenario::PlatformSpec& platform, const JobShape& shape,
                           const platform::Topology& routes) {
  const platform::Machine& machine = platform.machine;
  double latency_s = 0.0;
  double bandwidth_Bps = kNever;
  for (const double known_Bps :
       {machine.nic_bandwidth_Bps, machine.link_bandwidth_Bps, machine.local_bandwidth_Bps})
    if (known_Bps > 0.0) bandwidth_Bps = std::min(bandwidth_Bps, known_Bps);
  const std::uint32_t nodes = std::min(routes.nodes(), shape.nodes + shape.spare_nodes);
  for (std::uint32_t node = 1; node < nodes; ++node) {
    const platform::Route route = routes.route(0, node);
    latency_s = std::max(latency_s, route.latency_s);
    if (route.bandwidth_Bps > 0.0) bandwidth_Bps = std::min(bandwidth_Bps, route.bandwidth_Bps);
  }
  platform::MessageCost most = {.send_overhead_s = machine.send_overhead_s,
                                .receive_overhead_s = machine.receive_overhead_s,
                                .latency_s = machine.nic_latency_s,
                                .byte_s = 1.0 / bandwidth_Bps};
  if (platform::has_costs_by_size(machine)) most = {.byte_s = most.byte_s};
  for (const auto* table : {&machine.costs, &machine.local_costs})
    for (const platform::MessageCost& cost : *table) {
      most.send_overhead_s = std::max(most.send_overhead_s, cost.send_overhead_s);
      most.receive_overhead_s = std::max(most.receive_overhead_s, cost.receive_overhead_s);
      most.latency_s = std::max(most.latency_s, cost.latency_s);
      most.byte_s = std::max(most.byte_s, cost.byte_s);
    }
  MessageCosts costs{.each_s = most.send_overhead_s + most.receive_overhead_s + machine.gap_s,
                     .byte_s = most.byte_s,
                     .latency_s = std::max(machine.local_latency_s, most.latency_s + latency_s)};
  if (platform.daemon_core == scenario::DaemonCore::shared)
    costs.each_s += platform.context_switch_s;
  if (platform.ordering == scenario::Ordering::unordered)
    costs.latency_s += platform.unordered_delay_s;
  return costs;
}

}  // namespace

bool states_bound(const scenario::RunSpec& spec) {
  const Registration* detector = spec.component(Family::failure_detection).registration;
  return detector != nullptr && detector->as<DetectorTraits>().bound && !spec.driver_kills &&
         !spec.order;
}

DetectionCase quiet_case(const scenario::PlatformSpec& platform, const JobShape& shape,
                         const platform::Topology& routes) {
  return {.job = shape,
          .message = message_costs(platform, shape, routes),
          .local_exit_s = platform.local_exit_delay_s,
          .link_lost_s = platform.link_lost_delay_s,
          .silent_link_lost_s = platform.silent_link_lost_delay_s};
}

/// Each process and each node may have died, and lives again.
double longest_bound_s(const scenario::ComponentChoice& detector, const DetectionCase& quiet) {
  DetectionCase all = quiet;
  all.process_life = all.daemon_life = 1;
  all.deaths = quiet.job.processes;
  all.dead_nodes = quiet.job.nodes + quiet.job.spare_nodes;
  all.all_deaths = std::uint64_t{all.deaths} + all.dead_nodes;
  all.disturbed = true;
  return kDetectionPatience *
         detector.registration->as<DetectorTraits>().bound(detector.options, all).within_s;
}

}  // namespace faultline::engine
