// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/reproduction/item.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline::reproduction {

/// Reads and checks one member of `measures`. `scenarios` is the file's member of that name, with
/// the scenarios that the measure may run. Checks each with every set of changes, and keeps it in
/// that form. Adds every error to `problems`.
decltype(Measure::how) read_measure(const json::JsonValue& value, const std::string& path,
                                    const json::JsonValue* scenarios, json::Problems& problems);

}  // namespace faultline::reproduction
