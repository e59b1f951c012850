#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace faultline {

/// "PAPER/ITEM", what a user types for a file: its folder and its own name.
std::string reproduction_item_name(const std::filesystem::path& file);

/// Is this JSON file an item? By its member `groups`, which no scenario has; false for what is no
/// JSON.
bool is_reproduction_item(const std::string& file);

/// The files that "PAPER" or "PAPER/ITEM" names in the data directory, sorted by name, or the one
/// file that a path ending in .json names. Throws UsageError that lists what there is.
std::vector<std::filesystem::path> find_reproduction_items(const std::string& name);

/// The names of all papers and of their items, as find_reproduction_items takes them.
std::vector<std::string> reproduction_item_names();

}  // namespace faultline
