// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/core/metrics.hpp"
#include "sim/engine/verdict/outcome.hpp"

namespace faultline::engine {

/// The result of one replication.
struct RunResult {
  Outcome outcome = Outcome::limit;
  std::optional<bool> terminated;  ///< every live rank knows of the end; empty without a detector
  std::string fatal_reason;        ///< the protocol's own words, if it gave up
  ActorId fatal_actor = kNobody;   ///< the actor that gave up
  Family fatal_family = Family::workload;  ///< the component of that actor that gave up
  Metrics metrics;
  std::vector<audit::Violation> violations;
  std::uint64_t events = 0;
  double setup_s = 0.0;  ///< wall time before the first event: actors, platform
  double wall_s = 0.0;   ///< total wall time, including set-up
};

}  // namespace faultline::engine
