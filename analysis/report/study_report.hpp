// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/drawing/chart.hpp"
#include "analysis/report/same_everywhere.hpp"
#include "analysis/report/titles.hpp"
#include "analysis/store/query.hpp"

namespace faultline::report {

/// The content of a report about one study.
struct StudyReport {
  std::vector<store::SelectedPoint> points;  ///< points of this study only
  std::vector<std::string> conditions;       ///< the conditions that select the points
  std::vector<std::string> metrics;          ///< those with charts
  std::vector<SameValue> same;               ///< of metrics that need none
  std::string completion;  ///< a sentence in place of charts of survival (HTML), or ""
  std::string x;           ///< path that the reader chose for the x axis; "" for none
  Titles titles;           ///< the reader's titles of paths and metrics
  std::string protocol;    ///< path of the protocol (protocol_path); "" for none
  std::vector<drawing::Chart> curves;
  std::vector<drawing::Chart> boxes;
  std::vector<drawing::Chart> survival;  ///< includes survival over cost; empty without faults
};

}  // namespace faultline::report
