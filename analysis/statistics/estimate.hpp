// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/summary.hpp"

namespace faultline::statistics {

/// A number estimated from a sample. It has no value if it could not be measured; `trouble` then
/// gives the reason.
struct Estimate {
  std::optional<double> value;
  std::optional<Interval> confidence_95;
  std::string trouble;
  std::optional<Interval> confidence_99{};  ///< not with a known companion mean
};

/// Estimates the mean of a sample, with intervals by Student's t.
///
/// The second form uses `companions`, one for each value, whose mean is known exactly (a control
/// variate). The distance of the companions' sample mean from the exact one predicts that of the
/// values: this part is subtracted, by linear regression, and the interval is that of the
/// residuals, of 95 % only. With fewer than four values, or companions that are all equal, it is
/// the first form.
Estimate estimate_mean(const std::vector<double>& values);
Estimate estimate_mean(const std::vector<double>& values, const std::vector<double>& companions,
                       double exact_companion_mean);

/// Estimates the share of values that are not 0, with exact intervals (Clopper and Pearson 1934).
Estimate estimate_share(const std::vector<double>& zeros_and_ones);

/// Estimates mean(values) / mean(base). Its intervals are those of the difference of the two means,
/// by Student's t with pooled variance, divided by the mean of `base`. The whiskers of
/// adoption-2013 figure 4 are of this kind.
Estimate estimate_ratio_of_means(const std::vector<double>& values,
                                 const std::vector<double>& base);

}  // namespace faultline::statistics
