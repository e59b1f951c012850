// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json/json_value.hpp"

namespace faultline::search {

/// A scenario without what the front end complains of: the option, fault or victim that a refusal
/// names has its default, or is left out, until nothing is refused, or what is refused cannot be
/// left out, such as the name of a component.
JsonValue admitted(JsonValue scenario);

}  // namespace faultline::search
