// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"

namespace faultline::engine {

/// A step of a stepwise engine as a scenario states it.
scenario::OrderedStep ordered_step(const std::vector<Choice>& agenda, std::size_t place,
                                   const std::vector<Cut>& cuts = {});

/// The place in the agenda of what a scenario states; nothing if it cannot happen now. `death` is
/// never there: see StepwiseEngine::kill.
std::optional<std::size_t> place_of(const scenario::OrderedStep& step,
                                    const std::vector<Choice>& agenda);

/// Runs a job in the order that its scenario states. Throws RunError that names the step if one
/// cannot happen when it is due.
RunResult run_in_order(const scenario::RunSpec& spec,
                       std::shared_ptr<const RunJob> job_without_costs,
                       audit::RunObserver* observer);

}  // namespace faultline::engine
