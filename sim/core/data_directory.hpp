// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace faultline {

/// The directory of the shipped data (`machines/`, `faults/`, `examples/`, one folder per paper).
/// The environment variable FAULTLINE_DATA names it if set; else it is the one that belongs to the
/// running program (see `data_directory_of`). Throws UsageError if there is no such directory.
std::filesystem::path data_directory();

/// The data directory that belongs to `executable`: `../share/faultline/scenarios` relative to its
/// folder (an installed program), else `scenarios/` of the source tree that it was built from.
/// Throws UsageError, naming both places, if neither exists.
std::filesystem::path data_directory_of(const std::filesystem::path& executable);

}  // namespace faultline
