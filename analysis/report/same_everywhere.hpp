// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/titles.hpp"
#include "analysis/store/query.hpp"

namespace faultline::report {

/// A metric of which all runs that have it have the same value.
struct SameValue {
  std::string metric;
  double value = 0.0;
  std::size_t runs = 0;  ///< that have it
};

/// The value of a metric, if all runs of these points that have it have the same one, apart from
/// rounding errors, and none of them was cut off.
std::optional<SameValue> same_value(const std::vector<store::SelectedPoint>& points,
                                    const std::string& metric);

/// "In all 72 runs end_time_s is 40 s, false_reports is 0." as HTML, with a sentence for each
/// number of runs; "" if there are none.
std::string same_values_words(const std::vector<SameValue>& same, std::size_t all_runs,
                              const Titles& titles);

/// "All 80 runs completed: ..." or "None of the 80 runs completed: ...", with what the exact 95 %
/// intervals of the points say; "" if some completed and some did not, or if that is no question.
std::string same_completion_words(const std::vector<store::SelectedPoint>& points);

}  // namespace faultline::report
