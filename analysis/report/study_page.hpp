// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/drawing/html_page.hpp"
#include "analysis/report/study_report.hpp"

namespace faultline::report {

struct StoreReportSettings {
  std::string store;                    ///< as the user named it, for the commands
  std::vector<std::string> conditions;  ///< the conditions that select its points
  std::vector<std::string> metrics;     ///< if empty, those that `query` shows
  std::string x = {};                   ///< path along x in the charts; "": `layout_of` chooses
  Titles titles = {};                   ///< the reader's titles of paths and metrics
};

/// The reports of all studies among these points, with charts and with commands, which name the
/// store and the conditions. Throws UsageError for a metric that no study has, for an `x` that has
/// a single value in every study, and for a title of anything but swept paths, `x` and metrics.
std::vector<StudyReport> study_reports(std::vector<store::SelectedPoint> points,
                                       const StoreReportSettings& settings);

/// Adds what was run, the charts and the comparisons of a study to a page. `drawings` has the SVG
/// of each chart, by its stem; a chart without one is not drawn.
void add_study(drawing::HtmlPage& page, const StudyReport& report, const std::string& store,
               const std::map<std::string, std::string>& drawings);

}  // namespace faultline::report
