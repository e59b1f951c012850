// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/json/json_value.hpp"

namespace faultline::text {

/// A value of a scenario for people: "cda, initial_credit 1024" for an object, "0.01" for a number,
/// "-" for null.
std::string value_words(const json::JsonValue& value);

}  // namespace faultline::text
