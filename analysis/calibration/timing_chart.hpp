// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/calibration/segments.hpp"
#include "analysis/drawing/chart.hpp"

namespace faultline::calibration {

/// Measured times over sizes, with logarithmic axes, beside those of a model, which gives the time
/// of a message of so many bytes. Messages of no bytes have no place there. `stem` names its files.
drawing::Chart timing_chart(const std::string& stem, const std::string& title,
                            const std::vector<Timing>& measured,
                            const std::function<double(double bytes)>& model);

}  // namespace faultline::calibration
