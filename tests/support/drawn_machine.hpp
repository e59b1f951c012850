// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/random.hpp"
#include "tests/support/job.hpp"

namespace faultline::test {

/// The machine of a random run: quick_machine, or one whose costs the seed draws.
inline platform::Machine machine_of(std::uint64_t seed, bool random_costs) {
  platform::Machine machine = quick_machine(64);
  if (!random_costs) return machine;
  Stream random(seed, 0, Purpose::network, 0);
  const auto up_to = [&random](double most) {
    return random.chance(0.3) ? 0.0 : most * random.uniform();
  };
  machine.send_overhead_s = up_to(2e-6);
  machine.receive_overhead_s = up_to(2e-6);
  machine.gap_s = up_to(1e-6);
  machine.nic_latency_s = up_to(1e-5);
  machine.hop_latency_s = up_to(1e-6);
  machine.local_latency_s = up_to(5e-7);
  machine.nic_bandwidth_Bps = 1e8 + 1e10 * random.uniform();
  machine.link_bandwidth_Bps = 1e8 + 1e10 * random.uniform();
  return machine;
}

}  // namespace faultline::test
