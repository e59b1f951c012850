// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace faultline::calibration {

/// One equation of a fit: the sum of coefficients times unknowns should be `value`.
struct Equation {
  std::vector<double> coefficients;
  double value = 0;
};

/// The unknowns, none of them negative, for which the sum of the squared errors of all equations is
/// least (Lawson and Hanson, "Solving Least Squares Problems", 1974, chapter 23: NNLS). All
/// equations have the same number of coefficients.
std::vector<double> nonnegative_fit(const std::vector<Equation>& equations);

}  // namespace faultline::calibration
