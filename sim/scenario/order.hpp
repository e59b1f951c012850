// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// One entry of `order.steps`, as the file writes it. The deaths within the step are a separate
/// list.
struct OrderedStepOptions {
  std::string event = "message";
  std::uint32_t actor = 0;
  std::optional<std::uint32_t> peer;
  std::uint64_t detail = 0;
  double stall_s = 0.0;
  std::uint32_t nth = 0;
};
const OptionSet<OrderedStepOptions>& ordered_step_options();

/// The plain values of `order`, beside its lists.
const OptionSet<RunOrder>& order_options();

/// One entry of a list of deaths within a step.
const OptionSet<OrderedDeath>& ordered_death_options();

/// What `order`, `order.deaths_at_start` and `order.steps[i].deaths` do, in words.
const char* order_summary();
const char* deaths_at_start_summary();
const char* deaths_in_step_summary();
/// Describes in words what `order.choices_at_start` and `order.steps[i].choices` do.
const char* choices_summary();

/// The word that a scenario uses for an event.
std::string word_of(OrderedEvent event);

/// Reads `order`. `job` is nothing if the job's size is not known.
RunOrder read_order(const json::JsonValue& value, const std::optional<JobShape>& job,
                    json::Problems& problems);

/// The JSON of an order, without what is at its default.
json::JsonValue order_json(const RunOrder& order);

/// What a run must not have where no time passes, because its order is stated or all orders are
/// explored: the places in the scenario, each with the reason.
std::vector<OptionProblem> what_needs_time(const RunSpec& spec);

}  // namespace faultline::scenario
