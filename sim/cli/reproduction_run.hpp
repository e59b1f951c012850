#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction/page.hpp"
#include "sim/cli/drawings.hpp"

namespace faultline {

/// An item to reproduce, and where it was read.
struct ItemFile {
  std::string file;
  std::string named;  ///< as the user would name it alone
  ReproductionItem item;
};

/// The items that "PAPER", "PAPER/ITEM" or a path names. All files are read before anything runs,
/// so that what is wrong with the last is known at once.
std::vector<ItemFile> read_items(const std::string& what);

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
