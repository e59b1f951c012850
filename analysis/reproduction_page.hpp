#pragma once

#include <string>
#include <vector>

#include "analysis/reproduction.hpp"

namespace faultline {

/// The results as one HTML page that needs no other file: a table for each item, the place in the
/// paper, tolerance and reason beside each cell, its drawing below. The same bytes on every run.
std::string reproduction_page(const std::vector<ItemResult>& results, bool quick);

}  // namespace faultline
