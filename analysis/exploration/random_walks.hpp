// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/exploration/exploration.hpp"

namespace faultline::exploration {

/// Runs the job again and again from its start, each time with random choices and deaths. The
/// result depends on the request's seed alone. It counts the different states that it reaches, and
/// its verdict is never `exhausted`.
ExplorationResult walk_at_random(const ExplorationRequest& request, const TellProgress& tell);

}  // namespace faultline::exploration
