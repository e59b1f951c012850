// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibration/measurements.hpp"
#include "sim/json/json_value.hpp"
#include "sim/platform/machine.hpp"

namespace faultline::calibration {

/// A machine whose values hold where the measurements tell nothing.
struct Base {
  std::string name;           ///< as messages call it
  json::JsonValue file;       ///< its machine file
  platform::Machine machine;  ///< what that says
};

/// What was measured of a machine.
struct Measured {
  std::string name;  ///< that the machine gets
  Measurements between_nodes;
  std::string files;  ///< where these come from, in words
  Measurements within_node;
  std::string local_files;
};

/// A machine that takes the measured times, and what is to be said of it.
struct Calibration {
  json::JsonValue file;  ///< a machine file
  std::vector<std::string> notes;
};

/// The base if there is none: two hops of no time, and processes that spend two thirds of the
/// shortest message. Throws UsageError as calibrated() does.
Base assumed_base(const Measured& measured);

/// Fits costs by size to the half round trips, and takes the base's values for what these cannot
/// tell. Throws UsageError if there are too few sizes.
Calibration calibrated(const Measured& measured, const Base& base);

}  // namespace faultline::calibration
