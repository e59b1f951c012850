#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction/page.hpp"

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

/// How long these items took where they were timed, over so many jobs; at least a second.
double expected_time_s(const std::vector<ItemFile>& items, const ReproductionSettings& settings);

/// Draws one chart from its CSV and its script; `stem` is the name of its files. Returns the SVG,
/// "" for none.
using DrawChart = std::function<std::string(const std::string& stem, const std::string& csv,
                                            const std::string& script)>;

/// Carries out all items, tells of progress if that is wanted, and draws the figures, where `draw`
/// is not empty. `with_paper`: the names of files begin with the paper's. Nothing when it was
/// interrupted.
std::optional<Reproduction> carry_out_items(std::vector<ItemFile> items,
                                            const ReproductionSettings& wanted,
                                            const DrawChart& draw, bool with_paper);

}  // namespace faultline
