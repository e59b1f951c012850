// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/drawing/html_page.hpp"
#include "analysis/report/study_report.hpp"

namespace faultline::report {

/// Adds a section that shows which protocol wins where, by paired differences of each metric
/// (analysis/store/comparison). Adds nothing if no protocols compete.
void add_comparisons(drawing::HtmlPage& page, const StudyReport& report, const std::string& store);

}  // namespace faultline::report
