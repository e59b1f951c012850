// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Removes from a scenario what the front end refuses. The option, fault or victim that a refusal
/// names gets its default, or is left out, until nothing is refused, or the refused part cannot be
/// left out, such as the name of a component.
json::JsonValue admitted(json::JsonValue scenario);

}  // namespace faultline::search
