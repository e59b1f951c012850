// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "analysis/reproduction/verdicts.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::reproduction {

/// The number of cells with each verdict, and the matches by their kind of evidence.
struct VerdictCounts {
  std::map<Verdict, std::size_t> verdicts;
  std::map<Evidence, std::size_t> matches;
  std::size_t unexpected = 0;  ///< cells whose verdict is not the one that is expected

  void add(const ItemResult& result);
};

VerdictCounts counts_of(const std::vector<ItemResult>& results);

/// "31 match (7 bound, 24 own theory), 2 differs; all as expected".
std::string counts_words(const VerdictCounts& counts);

/// The counts of cells as JSON.
json::JsonValue counts_json(const VerdictCounts& counts);

}  // namespace faultline::reproduction
