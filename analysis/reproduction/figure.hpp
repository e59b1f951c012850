// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/drawing/chart.hpp"
#include "analysis/reproduction/verdicts.hpp"

namespace faultline::reproduction {

/// The curves of an item as lines of a CSV file, the header first.
///
/// Step models have one line for each tree, mapping, activity and number of processes:
/// `mapping,activity,processes,tree_seed,four-counter,edod,hcda,cda`, in control messages.
///
/// Series have one line for each measure, metric, detector and point, with the boxplot of the
/// sample; the column `detector` has the name that the measures' family gives its protocols
/// (protocol_word):
/// `series,metric,detector,PATH,runs,min,whisker_low,quartile_1,median,quartile_3,whisker_high,
/// max,mean`. A series that is drawn relative to a detector has ratios instead:
/// `series,metric,detector,PATH,runs,ratio,low_99,high_99`. The five metrics NAME_min to NAME_max,
/// which describe how NAME is spread over the ranks, make one box.
FigureRows figure_rows(const ItemResult& result);

/// The panels of a figure, to be drawn so many in a row (analysis/drawing/chart).
struct FigurePanels {
  std::vector<drawing::Chart> charts;
  std::size_t columns = 1;
};

/// What an item's figure shows.
///
/// Step models: control messages per process over the processes, averaged over the trees, with a
/// row of panels for each mapping and a column for each activity.
///
/// Series: boxplots over the points, or ratios with their intervals, with a row for each series and
/// a column for each metric. Series of a single metric share one row. Overlaid series have one
/// panel for each metric. Where every point is a single run, lines stand for boxes. Axes are
/// logarithmic where that suits their values (wants_logarithm).
FigurePanels figure_panels(const ItemResult& result);

}  // namespace faultline::reproduction
