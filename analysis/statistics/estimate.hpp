#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/summary.hpp"

namespace faultline {

/// What a sample says of a number. No value: it could not be measured, and `trouble` says why.
struct Estimate {
  std::optional<double> value;
  std::optional<Interval> confidence_95;
  std::string trouble;
  std::optional<Interval> confidence_99{};  ///< of a share or a ratio
};

/// The mean of a sample and its 95 % interval. With `companions` (one for each value) and their
/// exact mean, the linear part of what the sample of companions missed is taken back, and the
/// interval is that of the residuals; needs four values, and companions with some spread.
Estimate estimate_mean(const std::vector<double>& values);
Estimate estimate_mean(const std::vector<double>& values, const std::vector<double>& companions,
                       double exact_companion_mean);

/// The share of those that are not 0, with its exact intervals (Clopper and Pearson 1934).
Estimate estimate_share(const std::vector<double>& zeros_and_ones);

/// mean(values) / mean(base), with the intervals of the difference of both means by Student's t
/// (pooled variance), in units of the base's mean: what the whiskers of adoption-2013 figure 4 are.
Estimate estimate_ratio_of_means(const std::vector<double>& values,
                                 const std::vector<double>& base);

}  // namespace faultline
