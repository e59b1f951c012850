#pragma once

#include <string>

#include "analysis/reproduction_item.hpp"
#include "analysis/reproduction_measures.hpp"

namespace faultline {

/// The curves of an item, one line for each tree, mapping, activity and number of processes:
/// `mapping,activity,processes,tree_seed,four-counter,edod,hcda,cda`, in control messages.
std::string figure_csv(const ReproductionItem& item, const ReproductionSettings& settings);

/// The gnuplot script that draws STEM.csv, in the same folder, as STEM.svg: control messages per
/// process over the processes, mean over the trees; a row of panels for each mapping, a column for
/// each activity.
std::string figure_script(const ReproductionItem& item, const std::string& stem);

/// Runs gnuplot on a script in that folder. False: it is not installed, or it fails.
bool draw_figure(const std::string& directory, const std::string& script);

}  // namespace faultline
