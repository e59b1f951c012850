// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/calibration/segments.hpp"

namespace faultline::calibration {

/// What a node sends at most in messages of one size, over all pairs that were measured together.
struct Stream {
  std::uint64_t bytes = 0;
  double bandwidth_Bps = 0;
  std::optional<double> messages_per_s = {};
  std::uint64_t pairs = 1;
};

/// What benchmarks have measured between two processes.
struct Measurements {
  std::vector<Timing> half_round_trips;  ///< as often as each was measured
  std::vector<Stream> streams;
};

/// How the columns of a table of one's own are to be read.
struct TableColumns {
  std::size_t bytes = 0;  ///< which column has the sizes, from 0 on
  std::size_t time = 1;   ///< which has the times
  double unit_s = 1;
  bool half_round_trip = false;  ///< else the times are round trips
};

/// Reads a list such as "bytes,seconds" or "-,bytes,-,microseconds": what each column has, "-" for
/// one that does not count. Throws UsageError.
TableColumns read_columns(const std::string& list, bool half_round_trip);

/// Adds what a file has, packed or not: the output of osu_latency, osu_bw or osu_mbw_mr, of IMB's
/// PingPong, of netgauge's pattern loggp, or a table with commas, blanks or tabs, for which
/// `columns` must be given. Throws UsageError "FILE: line N: what is wrong".
void add_measurements(const std::string& path, const std::optional<TableColumns>& columns,
                      Measurements& measurements);

/// The middle one of the values, or the mean of the two in the middle. There is one at least.
double median(std::vector<double> values);

/// The median for each size, in ascending order.
std::vector<Timing> medians(const std::vector<Timing>& timings);

/// Those timings whose sizes are at least `step` times as large as that of the one before: evenly
/// spread over a logarithmic axis. `timings` are in ascending order.
std::vector<Timing> apart(const std::vector<Timing>& timings, double step);

}  // namespace faultline::calibration
