// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Draws scenario number `number`, from the number alone: a scenario as a user would write it, with
/// values that differ from the defaults. Everything comes from the declarations of components,
/// sources of faults and a scenario's objects, so that new declarations are drawn, too.
/// Combinations that clash are rare, not left out: the front end refuses them.
json::JsonValue draw_scenario(std::uint64_t number);

}  // namespace faultline::search
