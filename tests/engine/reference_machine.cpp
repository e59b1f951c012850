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
  return machine;
}

}  // namespace faultline::engine
