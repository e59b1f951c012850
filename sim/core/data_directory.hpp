#pragma once

#include <filesystem>

namespace faultline {

/// Directory of the shipped data (`machines/`, `faults/`, `examples/`, one folder per paper).
/// It is the environment variable FAULTLINE_DATA when that is set, else what belongs to the running
/// program (see `data_directory_of`). Throws UsageError when there is no such directory.
std::filesystem::path data_directory();

/// Data that belongs to `executable`: `../share/faultline/scenarios` beside it (an installed
/// program), else `scenarios/` of the source tree that it was built from.
/// Throws UsageError, naming both places, when neither is there.
std::filesystem::path data_directory_of(const std::filesystem::path& executable);

}  // namespace faultline
