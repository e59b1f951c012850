// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/core/stack.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::runs {

/// The components of a point by family, each with its options as text; "" for none.
using StackText = std::array<std::string, kFamilies>;

StackText stack_text(const scenario::RunSpec& spec);

/// The components of a resolved scenario, as a store keeps it. A family that is not in it counts as
/// one that all points have in common.
StackText stack_text(const json::JsonValue& resolved);

/// The families that matter where these stacks are compared: those that some of them have. If
/// protocols differ among them, without the families below the lowest that differs: these are the
/// same everywhere, while a layer feels what is exchanged below it. The workload always matters.
Families families_that_matter(const std::vector<StackText>& stacks);

/// The names of the metrics that are shown of these families where nobody names metrics
/// (MetricSpec::usual_for), in the order in which `list metrics` has them.
std::vector<std::string> usual_metrics(Families families);

/// True if a value of a metric is worth a column. A time or a rate of 0 is not: it is a stage that
/// a run has not entered, or a detector that sends no messages.
bool tells_something(const std::string& metric, double value);

}  // namespace faultline::runs
