// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/may_err.hpp"

#include "sim/scenario/stated_disturbance.hpp"

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
  return erring_detector_of(spec) == nullptr ? Disturbance() : stated_disturbance(spec, outages);
}

bool errs_as_stated(const RunSpec& spec) {
  const DetectorTraits* const detector = erring_detector_of(spec);
  return detector != nullptr && detector->exit_notice;
}

bool can_err(const RunSpec& spec) {
  return errs_as_stated(spec) ||
         (erring_detector_of(spec) != nullptr && (is_disturbed(spec) || spec.stalls()));
}

}  // namespace faultline::scenario
