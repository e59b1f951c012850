// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/job/run_job.hpp"

namespace faultline::engine {

/// Is a death to be expected in this run: by a fault, or because something stated makes the failure
/// detector err, so that a live process stops or is ended?
[[nodiscard]] bool expects_deaths(const RunJob& job);

}  // namespace faultline::engine
