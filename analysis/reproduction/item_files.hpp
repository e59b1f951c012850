// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace faultline::reproduction {

/// The name by which a user calls a file, "PAPER/ITEM": its folder and its own name.
std::string reproduction_item_name(const std::filesystem::path& file);

/// True if this file is an item, that is if it has the member `groups`, which no scenario has.
/// False for a file that is not JSON.
bool is_reproduction_item(const std::string& file);

/// The files in the data directory that "PAPER" or "PAPER/ITEM" names, sorted by name; or the one
/// file that a path ending in .json names. Throws UsageError, which lists the names that exist.
std::vector<std::filesystem::path> find_reproduction_items(const std::string& name);

/// The names of all papers and of their items, as find_reproduction_items takes them.
std::vector<std::string> reproduction_item_names();

}  // namespace faultline::reproduction
