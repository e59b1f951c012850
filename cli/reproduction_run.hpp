// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction/run.hpp"
#include "cli/drawings.hpp"

namespace faultline::cli {

/// The number of jobs that the option states, else one per core.
unsigned jobs_of(const std::string& option, const std::optional<std::string>& text);

/// Tells on standard error how long these items took where they were timed.
void say_duration(const std::vector<reproduction::ItemFile>& items,
                  const reproduction::ReproductionSettings& settings);

/// Runs all items and, unless `drawings` is null, draws their figures. Returns nothing if it was
/// interrupted.
std::optional<reproduction::Reproduction> reproduce_items(
    std::vector<reproduction::ItemFile> items, const reproduction::ReproductionSettings& settings,
    Drawings* drawings);

}  // namespace faultline::cli
