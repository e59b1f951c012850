// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "analysis/store/store_row.hpp"

namespace faultline::store {

/// The format of the stores that this program makes. Before format 3, a point had all its
/// replications or none; before format 2, rows had no checksums.
inline constexpr std::int64_t kStoreFormat = 3;
inline constexpr std::int64_t kFirstWithChecksums = 2;
inline constexpr std::int64_t kFirstWithParts = 3;

/// The tables of a store of results, in one of its formats.
const StoreTable& studies_table();
const StoreTable& points_table(std::int64_t format = kStoreFormat);
const StoreTable& runs_table();

/// All tables of a store.
std::array<const StoreTable*, 3> store_tables(std::int64_t format = kStoreFormat);

/// A view for people who read a store without Faultline, as the SQL statement that creates it.
/// Faultline itself does not use it.
const char* results_view_sql();

}  // namespace faultline::store
