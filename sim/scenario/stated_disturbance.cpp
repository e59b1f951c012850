// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/stated_disturbance.hpp"

#include <algorithm>

namespace faultline::scenario {

Disturbance stated_disturbance(const RunSpec& spec, const std::vector<faults::Outage>& outages) {
  const PlatformSpec& platform = spec.platform;
  Disturbance all;
  all.is_endless =
      platform.detection_loss_probability > 0.0 || platform.os_noise || platform.delay_noise;
  const auto add = [&all](double from_s, double to_s) {
    all.is_endless = all.is_endless || to_s == kNever;
    all.last_change_s = std::max(all.last_change_s, to_s == kNever ? from_s : to_s);
  };
  if (platform.start_delay_s > 0.0) add(0.0, platform.start_delay_s);
  for (const faults::PartitionSpec& one : spec.partitions) add(one.from_s, one.to_s);
  for (const faults::Outage& one : outages) add(one.from_s, one.to_s);
  for (const faults::SlowSpec& one : spec.slow) add(one.from_s, one.to_s);
  return all;
}

bool is_disturbed(const RunSpec& spec) {
  return stated_disturbance(spec).is_ever() || spec.routers_fail();
}

}  // namespace faultline::scenario
