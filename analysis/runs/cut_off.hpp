// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "analysis/runs/run_record.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline::runs {

/// True if a limit of `stop` ended the run. Its measurements until then are no result.
bool is_cut_off(engine::Outcome outcome);
bool is_cut_off(const RunRecord& run);

/// How far the mean of a metric holds if some of its runs were cut off. A count, a time, or the
/// largest of some values is only larger after a longer run; a mean, a share or a rate may go
/// either way, and so may a metric that this program does not know. `completed` is exact: such a
/// run has not completed.
statistics::MeanBound bound_of(const std::string& metric);

/// Marks the summary of a metric if `cut_off` of its values are of runs that were cut off. Such a
/// mean has no interval.
void mark_cut_off(statistics::Summary& summary, const std::string& metric, std::size_t cut_off);

/// `bound_word`; null for an exact mean.
json::JsonValue bound_json(statistics::MeanBound bound);

/// The number of runs, and how many of them were cut off.
struct RunCount {
  std::size_t runs = 0;
  std::size_t cut_off = 0;

  /// Adds runs that ended with this outcome.
  void add(engine::Outcome outcome, std::size_t count = 1);
};

/// "3 of 40 runs were cut off at a limit"; "" if none was.
std::string cut_off_count(const RunCount& count);

/// How many runs were cut off, and what that means for the means of a table (`with_interval` marks
/// them), as sentences; "" if no run was cut off.
std::string cut_off_note(const RunCount& count);

}  // namespace faultline::runs
