#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction/run.hpp"
#include "sim/cli/drawings.hpp"

namespace faultline {

/// The number of jobs that the option asks for, or one for each core.
unsigned jobs_of(const std::string& option, const std::optional<std::string>& text);

/// Says how long these items took on another machine.
void say_duration(const std::vector<ItemFile>& items, const ReproductionSettings& settings);

/// Carries out all items and draws their figures, if there is a place for drawings. `with_paper`:
/// the names of files begin with the paper's. Nothing when it was interrupted.
std::optional<Reproduction> reproduce_items(std::vector<ItemFile> items,
                                            const ReproductionSettings& settings,
                                            Drawings* drawings, bool with_paper);

}  // namespace faultline
