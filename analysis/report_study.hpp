#pragma once

#include <string>
#include <vector>

#include "analysis/html_page.hpp"
#include "analysis/store_query.hpp"

namespace faultline {

/// Adds what a study simulated, how it ended, what failed, and the commands that make it again.
void add_what_was_run(HtmlPage& page, const std::vector<SelectedPoint>& points,
                      const std::string& store);

}  // namespace faultline
