#pragma once

#include <string>

#include "analysis/html_page.hpp"
#include "analysis/store_report.hpp"

namespace faultline {

/// Adds which protocol wins where, by paired differences of each metric (analysis/comparison);
/// nothing where none competes.
void add_comparisons(HtmlPage& page, const StudyReport& report, const std::string& store);

}  // namespace faultline
