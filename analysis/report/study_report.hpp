#pragma once

#include <string>
#include <vector>

#include "analysis/drawing/chart.hpp"
#include "analysis/store/query.hpp"

namespace faultline {

/// What a report says of one study.
struct StudyReport {
  std::vector<SelectedPoint> points;    ///< all of one study
  std::vector<std::string> conditions;  ///< that select them
  std::vector<std::string> metrics;
  std::string x;  ///< path that the reader chose to be along the x axis; "" for none
  std::vector<Chart> curves;
  std::vector<Chart> boxes;
  std::vector<Chart> survival;  ///< and of cost against it; none without faults
};

}  // namespace faultline
