#pragma once

#include <string>
#include <vector>

#include "analysis/html_page.hpp"
#include "analysis/store_report.hpp"

namespace faultline {

/// Adds which protocol wins where, by paired differences of each metric (analysis/comparison);
/// nothing where none competes.
void add_comparisons(HtmlPage& page, const std::vector<SelectedPoint>& points,
                     const std::vector<std::string>& metrics, const StoreReportSettings& settings);

}  // namespace faultline
