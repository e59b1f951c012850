// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/reproduction/measures.hpp"
#include "analysis/reproduction/step_model_counts.hpp"

namespace faultline::reproduction {

/// The number of trees that are counted, once for each number of processes.
double work_of(const StepModelMeasure& measure, const ReproductionSettings& settings);

/// Takes the counts of every tree from `counts`, which makes them if it does not have them yet.
/// Estimates the mean ratio of each detector's control messages to CDA's.
Measured measure_step_model(const StepModelMeasure& measure, const ReproductionSettings& settings,
                            StepModelCounts& counts);

}  // namespace faultline::reproduction
