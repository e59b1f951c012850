// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "analysis/reproduction/item.hpp"

namespace faultline::reproduction {

/// Reads and checks one file. The item is named after its file and folder. Throws UsageError with
/// all errors of the file, one on each line: "FILE: PATH: what is wrong, what was expected".
ReproductionItem read_reproduction_item(const std::filesystem::path& file);

}  // namespace faultline::reproduction
