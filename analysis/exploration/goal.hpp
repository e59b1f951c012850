// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/exploration/ending.hpp"
#include "analysis/exploration/exploration.hpp"
#include "sim/engine/stepwise/state_properties.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::exploration {

/// The property of this name that a component of the job declares; nothing if there is none.
std::optional<engine::DeclaredProperty> find_property(const scenario::RunSpec& spec,
                                                      const std::string& name);

/// What a search of this job can look for: the names of its properties, and the words for how runs
/// end.
std::vector<std::string> goal_words(const scenario::RunSpec& spec);

/// The goal of that name. Throws std::invalid_argument if it is none of goal_words().
Goal goal_named(const scenario::RunSpec& spec, const std::string& name);

/// True if a run that ends like this reaches the goal.
bool is_reached_by(const Goal& goal, const Ending& ending);

}  // namespace faultline::exploration
