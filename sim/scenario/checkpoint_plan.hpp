// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// A number among the options of a component, if it has such an option and the value is not null.
std::optional<double> number_among(const OptionValues& options, const std::string& name);

/// The least time for which each rank computes in an iteration, in seconds. Nothing if the program
/// does not state one.
std::optional<double> iteration_compute_s(const RunSpec& point);

/// Which family asks for checkpoints, and how.
struct CheckpointPlan {
  Family family = Family::workload;  ///< whose option it is
  const char* option = nullptr;
  double interval_s = 0.0;  ///< at least, from one checkpoint to the next
};

/// How the ranks come to take checkpoints. Nothing if they take none, or if the time between these
/// is not known.
std::optional<CheckpointPlan> plan_of(const RunSpec& point);

}  // namespace faultline::scenario
