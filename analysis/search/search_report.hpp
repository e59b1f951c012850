// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "analysis/search/search.hpp"

namespace faultline::search {

/// The report for people: what was drawn and what was found, with the scenarios that show it. Lines
/// are at most `width` wide where words can be broken; scenarios are not.
std::string search_table(const SearchResult& result, std::size_t width);

/// The report as JSON, as docs/search.md describes it.
std::string search_json(const SearchResult& result);

/// The scenario of a finding as a file, which `faultline run` takes.
std::string scenario_text(const FoundKind& found);

}  // namespace faultline::search
