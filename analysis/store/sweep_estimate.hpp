// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "sim/scenario/study.hpp"

namespace faultline::store {

/// How long a study would take on this machine.
struct SweepEstimate {
  std::size_t runs = 0;   ///< to be simulated
  std::size_t tried = 0;  ///< points of which one run was made
  std::size_t ended = 0;  ///< those of these runs that were ended early, for they took too long
  double tried_s = 0.0;   ///< what all of them took together
  [[nodiscard]] double seconds() const;  ///< of one job; at least that, if runs were ended early
};

/// Makes a run of up to eight points, evenly spread over the study, each for `patience_s` at most.
SweepEstimate estimate_sweep(const scenario::Study& study, std::size_t runs,
                             double patience_s = 3.0);

/// "about 12 min 40 s with one job: 8 of 216 points were tried, and a run took 0.35 s on average";
/// "" for less than half a minute, and if nothing was tried.
std::string estimate_text(const scenario::Study& study, const SweepEstimate& estimate);

}  // namespace faultline::store
