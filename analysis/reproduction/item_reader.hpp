#pragma once

#include <filesystem>

#include "analysis/reproduction/item.hpp"

namespace faultline {

/// Reads and checks one file; the item is named after file and folder. Throws UsageError with every
/// error of the file, one a line: "FILE: PATH: what is wrong, what was expected".
ReproductionItem read_reproduction_item(const std::filesystem::path& file);

}  // namespace faultline
