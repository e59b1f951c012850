// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "sim/core/file_roles.hpp"

namespace faultline::store {

/// The purpose for which a store is opened.
enum class StoreUse {
  read,   ///< only read; each row is checked when it is read
  plan,   ///< only read, for a sweep that may follow: refuses what it would refuse
  sweep,  ///< created if missing; the checksums of all rows of an existing file are checked at once
};

/// Does this regular file begin as a database of SQLite does?
bool is_database(const std::string& path);

/// Throws UsageError for a path that cannot be a store: an empty one, or one that has a special
/// meaning to SQLite.
void check_store_name(const std::string& path);

/// Reserves the place of a store that is or may be written; null if it is only read. A command must
/// not write a store that it reads, nor read one that it writes: throws UsageError.
std::unique_ptr<OutputPlace> output_place(const std::string& path, StoreUse use);

/// Returns the path if a store can be there: if nothing is there yet, or a whole SQLite file.
/// Throws UsageError otherwise.
const std::string& checked_store_path(const std::string& path);

}  // namespace faultline::store
