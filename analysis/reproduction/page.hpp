// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/drawing/html_page.hpp"
#include "analysis/reproduction/verdicts.hpp"

namespace faultline::reproduction {

/// The results of items, and what produced them.
struct Reproduction {
  std::vector<ItemResult> results;
  std::vector<std::string> commands;  ///< the command that reproduces each result
  bool quick = false;
  std::string versions;  ///< "Faultline 1.0.0, SimGrid 3.32"
};

/// Adds a table of verdicts, then a section for each item: every cell beside what was measured, the
/// reason of each verdict that is not a match, the drawing and its numbers.
void add_reproduction(drawing::HtmlPage& page, const Reproduction& reproduction);

/// The results as one page that needs no other file. Equal results give the same bytes.
std::string reproduction_page(const Reproduction& reproduction);

/// The versions of Faultline and of SimGrid in this program, for people.
std::string versions_of_this_build();

}  // namespace faultline::reproduction
