#pragma once

#include <string>
#include <vector>

#include "analysis/drawing/html_page.hpp"
#include "analysis/store/query.hpp"

namespace faultline {

/// Adds what a study simulated, how it ended, what failed, and the commands that repeat it.
/// `conditions` select its points in the store.
void add_what_was_run(HtmlPage& page, const std::vector<SelectedPoint>& points,
                      const std::string& store, const std::vector<std::string>& conditions);

}  // namespace faultline
