// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/sweep.hpp"

namespace faultline::scenario {

/// Reads the axis `stacks`: an object of names, each with the keys that this stack sets. A whole
/// object replaces that of the scenario, and a path sets one key. Adds all errors to the problems;
/// `place` is that of the object.
SweepAxis read_stacks(const json::JsonValue& value, const std::string& place,
                      json::Problems& problems);

/// The place in the file of what the stack with that number sets.
std::string stack_place(const SweepAxis& stacks, std::size_t number);

}  // namespace faultline::scenario
