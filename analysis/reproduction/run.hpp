// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction/page.hpp"

namespace faultline::reproduction {

/// An item to reproduce, as it was read from a file.
struct ItemFile {
  std::string named;  ///< as the user would name this item alone
  ReproductionItem item;
};

/// The items that "PAPER", "PAPER/ITEM" or a path names. All files are read before anything runs,
/// so that errors in the last one show at once.
std::vector<ItemFile> read_items(const std::string& what);

/// How long these items would take on the machine where they were timed [s], with this many jobs;
/// at least a second.
double expected_time_s(const std::vector<ItemFile>& items, const ReproductionSettings& settings);

/// Draws one chart from its CSV and its script; `stem` is the name of its files. Returns the SVG,
/// or "" if there is none.
using DrawChart = std::function<std::string(const std::string& stem, const std::string& csv,
                                            const std::string& script)>;

/// Keeps a drawing that is an SVG already; `stem` is the name of its file.
using KeepPicture = std::function<void(const std::string& stem, const std::string& svg)>;

/// Carries out all items. Shows progress if that is wanted, and draws the figures if `draw` is set,
/// with which `keep` is set, too.
/// Names of files begin with that of the paper. Returns nothing if it is interrupted.
std::optional<Reproduction> carry_out_items(std::vector<ItemFile> items,
                                            const ReproductionSettings& wanted,
                                            const DrawChart& draw, const KeepPicture& keep = {});

}  // namespace faultline::reproduction
