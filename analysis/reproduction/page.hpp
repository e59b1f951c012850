#pragma once

#include <string>
#include <vector>

#include "analysis/drawing/html_page.hpp"
#include "analysis/reproduction/verdicts.hpp"

namespace faultline {

/// Results of items, and how they came about.
struct Reproduction {
  std::vector<ItemResult> results;
  std::vector<std::string> commands;  ///< of each result: the words that reproduce it again
  bool quick = false;
  std::string versions;  ///< "Faultline 1.0.0, SimGrid 3.32"
};

/// A table of verdicts, then for each item a section: every cell beside what was measured, the
/// reason of each verdict that is no match, the drawing and the numbers in it.
void add_reproduction(HtmlPage& page, const Reproduction& reproduction);

/// The results as one page that needs no other file. The same bytes on every run.
std::string reproduction_page(const Reproduction& reproduction);

/// Versions of this program, for people.
std::string versions_of_this_build();

}  // namespace faultline
