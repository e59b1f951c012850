// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/may_err.hpp"

#include <algorithm>

namespace faultline::scenario {

namespace {

/// The traits of a failure detector that can err; null if there is none.
const DetectorTraits* erring_detector_of(const RunSpec& spec) {
  const Registration* detector = spec.component(Family::failure_detection).registration;
  if (detector == nullptr || detector->as<DetectorTraits>().accurate) return nullptr;
  return &detector->as<DetectorTraits>();
}

}  // namespace

Disturbance disturbance_of(const RunSpec& spec, const std::vector<faults::Outage>& outages) {
  Disturbance all;
  if (erring_detector_of(spec) == nullptr) return all;
  const PlatformSpec& platform = spec.platform;
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

bool errs_as_stated(const RunSpec& spec) {
  const DetectorTraits* const detector = erring_detector_of(spec);
  return detector != nullptr && detector->exit_notice;
}

bool can_err(const RunSpec& spec) {
  return errs_as_stated(spec) || disturbance_of(spec).is_ever() ||
         (erring_detector_of(spec) != nullptr && (spec.stalls() || spec.routers_fail()));
}

}  // namespace faultline::scenario
