// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/calibration/segments.hpp"

namespace faultline::calibration {

/// How far the times of a model are from those that were measured of messages from one size to
/// another.
struct Residual {
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;  ///< 0: the last range has no end
  std::size_t messages = 0;
  std::uint64_t median_bytes = 0;
  double measured_s = 0;  ///< the median
  double modelled_s = 0;  ///< of a message of median_bytes
  double error = 0;       ///< the median of modelled / measured - 1 of each message
};

/// The residuals by ranges of sizes, without those of which nothing was measured. `model` gives the
/// time of a message of so many bytes.
std::vector<Residual> residuals(const std::vector<Timing>& measured,
                                const std::function<double(double bytes)>& model);

/// They in a table.
std::string residual_table(const std::vector<Residual>& residuals);

}  // namespace faultline::calibration
