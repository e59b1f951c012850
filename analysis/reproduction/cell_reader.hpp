// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/reproduction/item.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline::reproduction {

/// Reads and checks one cell, and adds it to the item, whose measures must have been read. A cell
/// with an error is left out, and its errors are added to `problems`.
void read_cell(const json::JsonValue& value, const std::string& path, ReproductionItem& item,
               json::Problems& problems);

}  // namespace faultline::reproduction
