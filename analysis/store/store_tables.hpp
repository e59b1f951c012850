// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "analysis/store/store_row.hpp"

namespace faultline::store {

/// The tables of a store of results.
const StoreTable& studies_table();
const StoreTable& points_table();
const StoreTable& runs_table();

/// All tables of a store.
std::array<const StoreTable*, 3> store_tables();

/// A view for people who read a store without Faultline, as the SQL statement that creates it.
/// Faultline itself does not use it.
const char* results_view_sql();

}  // namespace faultline::store
