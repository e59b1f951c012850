// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/random.hpp"
#include "sim/core/registry.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Gives a workload whose program is in the scenario a program that it accepts: the rules of
/// `script`, the steps of `try-script`. Changes no other workload.
void draw_program(json::JsonValue& workload, Stream& random, std::uint32_t processes);

/// Draws a mark that a component of that stack can set, as a value of `mark`; null if none can.
json::JsonValue draw_mark(const std::vector<const Registration*>& stack, Stream& random);

}  // namespace faultline::search
