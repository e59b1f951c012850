// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "analysis/store/store_row.hpp"

namespace faultline {

/// The tables of a store of results.
const StoreTable& studies_table();
const StoreTable& points_table();
const StoreTable& runs_table();

/// All of them.
std::array<const StoreTable*, 3> store_tables();

/// A view for people who read a store without Faultline, which does not use it itself; as the SQL
/// statement that creates it.
const char* results_view_sql();

}  // namespace faultline
