// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/job/expected_deaths.hpp"

#include "sim/scenario/may_err.hpp"

namespace faultline::engine {

bool expects_deaths(const RunJob& job) {
  const bool may_err = job.spec.component(Family::failure_detection).registration != nullptr &&
                       !job.detector_is_accurate;
  return job.spec.has_faults() || (may_err && (job.disturbance.is_ever() || job.spec.stalls() ||
                                               scenario::errs_as_stated(job.spec)));
}

}  // namespace faultline::engine
