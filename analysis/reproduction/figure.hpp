#pragma once

#include <string>

#include "analysis/reproduction/verdicts.hpp"

namespace faultline {

/// The curves of an item as lines of a CSV file, the header first. Of step models, one line for
/// each tree, mapping, activity and number of processes:
/// `mapping,activity,processes,tree_seed,four-counter,edod,hcda,cda`, in control messages. Of
/// series, one line for each measure, metric, detector and point, with the boxplot of the sample:
/// `series,metric,detector,PATH,runs,min,whisker_low,quartile_1,median,quartile_3,whisker_high,
/// max,mean`; of those that are drawn relative to a detector
/// `series,metric,detector,PATH,runs,ratio,low_99,high_99`. Five metrics NAME_min to NAME_max that
/// spread NAME over the ranks make one box.
FigureRows figure_rows(const ItemResult& result, const ReproductionSettings& settings);

/// The gnuplot script that draws a figure (analysis/drawing/gnuplot). Of series it has the numbers
/// in it, of step models it reads STEM.csv in the same folder, where all names are our own. Step
/// models: control messages per process over the processes, mean over the trees; a row of panels
/// for each mapping, a column for each activity. Series: boxplots over the points, or ratios with
/// their intervals; a row for each series, a column for each metric, or one row where there is one
/// metric.
std::string figure_script(const ItemResult& result, const std::string& stem);

}  // namespace faultline
