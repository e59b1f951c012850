// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/reproduction/verdicts.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline::reproduction {

/// The samples of one protocol at one point of a series, by metric.
using MetricSamples = std::map<std::string, std::vector<double>>;

/// A measure of an item that is a series.
const SeriesMeasure& series_of(const ReproductionItem& item, std::size_t measure);

/// True if the series of an item are drawn as ratios. Either all of them are, or none.
bool draws_ratios(const ReproductionItem& item);

/// The last part of the path that the axis of the series shows.
std::string over_of(const ReproductionItem& item);

/// The metrics that a series draws. Five that describe the spread over the ranks of a run make one
/// box.
std::vector<std::string> drawn_metrics(const SeriesMeasure& series);

/// The box of a drawn metric: over runs, or, if five metrics describe its spread, over ranks. The
/// latter has the means of the runs, and whiskers that reach the extremes.
statistics::Boxplot box_of(const MetricSamples& samples, const std::string& metric);

/// A protocol's mean at a point, divided by that of the protocol to which the series is drawn
/// relative.
statistics::Estimate ratio_at(const SeriesMeasure& series, const SeriesPoint& point,
                              const std::string& protocol, const std::string& metric);

/// figure_rows() of an item whose curves are series.
FigureRows series_rows(const ItemResult& result);

}  // namespace faultline::reproduction
