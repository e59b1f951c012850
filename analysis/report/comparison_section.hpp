#pragma once

#include <string>

#include "analysis/drawing/html_page.hpp"
#include "analysis/report/study_report.hpp"

namespace faultline {

/// Adds which protocol wins where, by paired differences of each metric
/// (analysis/store/comparison); nothing where none competes.
void add_comparisons(HtmlPage& page, const StudyReport& report, const std::string& store);

}  // namespace faultline
