// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/core/detector_traits.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// What the failure detector of a job promises of the first death in it: that of a process in its
/// `process_life`, with the daemon of its node in its `daemon_life`, where messages cost nothing.
/// A detector that states no bound promises nothing. Nothing is returned if there is no detector.
[[nodiscard]] std::optional<DetectionBound> bound_of_life(const RunSpec& spec,
                                                          std::uint16_t process_life,
                                                          std::uint16_t daemon_life);

}  // namespace faultline::scenario
