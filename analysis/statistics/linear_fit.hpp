// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/statistics/estimate.hpp"

namespace faultline::statistics {

/// The values that replications gave at one place of an axis.
struct SampleAt {
  double x = 0.0;
  std::vector<double> values;  ///< at least one
};

/// A straight line through the means of samples. Each estimate has an interval of 95 % and one of
/// 99 %, if there are enough samples.
struct LinearFit {
  Estimate slope;      ///< in the unit of the values for each 1 of x
  Estimate intercept;  ///< the line at x = 0, in the unit of the values
  Estimate r_squared;  ///< the share of the variance of the means that the line explains
};

/// Fits mean = slope x + intercept by ordinary least squares. Each sample is one point, its mean,
/// with the same weight, for three reasons. The model is of how the mean depends on x. More
/// replications make the means more certain, but do not improve a line that misses them: if each
/// value were a point, the intervals would shrink to nothing around a wrong line. And few
/// replications mean that a run is expensive, not that its place on the axis counts less.
///
/// The intervals of slope and intercept are Student's t on the residuals of the means, with as many
/// degrees of freedom as there are samples, less two. They assume independent residuals of the same
/// variance. They do not see what all samples share, such as an error of the same seed. The
/// interval of R^2 is that of the correlation coefficient by Fisher's z (1921), squared. It takes x
/// for random, too; where x is chosen, it is somewhat too wide.
///
/// With fewer than two different x there is no fit: no estimate has a value. With fewer than three
/// there are no intervals, and no R^2, which would be 1 through any two points. The interval of R^2
/// needs a fourth sample. R^2 has no value if all means are equal. Throws std::invalid_argument if
/// a number is not finite or a sample is empty.
LinearFit fit_line(const std::vector<SampleAt>& samples);

/// The number of different values in a list.
std::size_t different_values(std::vector<double> values);

}  // namespace faultline::statistics
