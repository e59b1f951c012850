// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/reproduction/measures.hpp"

namespace faultline::reproduction {

/// What a cell can take from explorations.
namespace exploration_figure {
/// As printed: 1 if a run ends as it should not, else 0.
inline constexpr const char* kGoesWrong = "goes-wrong";
/// As printed: the number of steps of a shortest such run, without the start.
inline constexpr const char* kSteps = "steps";
/// As corrected: 1 if all states within the bounds were seen, of which `depth` is one, and no run
/// goes wrong; else 0.
inline constexpr const char* kExhausted = "exhausted";
}  // namespace exploration_figure

/// The amount of work of a measure: one for each exploration.
double work_of(const ExplorationMeasure& measure, const ReproductionSettings& settings);

/// Explores the job as printed and as corrected, and draws the run that goes wrong. The result does
/// not depend on the number of jobs.
Measured measure_exploration(const ExplorationMeasure& measure,
                             const ReproductionSettings& settings);

}  // namespace faultline::reproduction
