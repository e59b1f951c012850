// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/reference_machine.hpp"

#include "tests/support/job.hpp"

namespace faultline::engine {

platform::Machine machine_of(const ReferenceMachine& reference) {
  platform::Machine machine = test::quick_machine();
  machine.nodes = reference.nodes;
  machine.topology = platform::Crossbar{reference.nodes};
  if (reference.ring) machine.topology = platform::Torus{{reference.nodes}};
  machine.send_overhead_s = reference.send_overhead_s;
  machine.receive_overhead_s = reference.receive_overhead_s;
  machine.gap_s = reference.gap_s;
  machine.nic_bandwidth_Bps = reference.nic_Bps;
  machine.nic_latency_s = reference.nic_latency_s;
  machine.hop_latency_s = reference.hop_latency_s;
  machine.link_bandwidth_Bps = reference.link_Bps;
  machine.local_latency_s = reference.local_latency_s;
  machine.local_bandwidth_Bps = reference.local_Bps;
  if (reference.surcharges.empty() && reference.local_surcharges.empty()) return machine;
  const auto add_to = [&](std::vector<platform::MessageCost>& costs,
                          const std::vector<ReferenceSurcharge>& surcharges, double latency_s,
                          double bandwidth_Bps) {
    costs = {{.send_overhead_s = machine.send_overhead_s,
              .receive_overhead_s = machine.receive_overhead_s,
              .latency_s = latency_s}};
    for (const ReferenceSurcharge& one : surcharges)
      costs.push_back({.from_bytes = one.beyond_bytes + 1ULL,
                       .send_overhead_s = machine.send_overhead_s + one.send_s,
                       .receive_overhead_s = machine.receive_overhead_s + one.receive_s,
                       .latency_s = latency_s + one.latency_s,
                       .byte_s = 1 / bandwidth_Bps + one.byte_s});
  };
  add_to(machine.costs, reference.surcharges, machine.nic_latency_s,
         std::min(machine.nic_bandwidth_Bps, machine.link_bandwidth_Bps));
  add_to(machine.local_costs, reference.local_surcharges, machine.local_latency_s,
         machine.local_bandwidth_Bps);
  return machine;
}

}  // namespace faultline::engine
