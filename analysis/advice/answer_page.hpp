// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/advice/advice.hpp"
#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/html_page.hpp"

namespace faultline::advice {

/// A chart for each path of `over`: the objective of each stack at the values that were raced.
std::vector<drawing::Chart> crossover_charts(const Advice& advice);

/// Adds the answer to a page. `drawings` are the SVGs of the charts by their stems; a chart that is
/// not there is shown as a table.
void add_answer(drawing::HtmlPage& page, const Field& field, const Advice& advice,
                const std::map<std::string, std::string>& drawings);

}  // namespace faultline::advice
