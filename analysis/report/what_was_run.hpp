// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/drawing/html_page.hpp"
#include "analysis/report/study_report.hpp"

namespace faultline::report {

/// Adds what a study simulated, how it ended, what failed, and the commands that repeat it.
void add_what_was_run(drawing::HtmlPage& page, const StudyReport& report, const std::string& store);

}  // namespace faultline::report
