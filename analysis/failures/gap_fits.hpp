#pragma once

#include <optional>
#include <vector>

#include "analysis/statistics/summary.hpp"

namespace faultline {

/// A parameter of a law, fitted to a sample.
struct FittedParameter {
  double estimate = 0.0;
  Interval confidence_95;
};

/// Density (shape / scale) (x / scale)^(shape - 1) exp(-(x / scale)^shape).
struct WeibullFit {
  FittedParameter shape;
  FittedParameter scale_s;
  double log_likelihood = 0.0;
};

/// The logarithm of a value in seconds is normal with mean mu and standard deviation sigma.
struct LognormalFit {
  FittedParameter mu;
  FittedParameter sigma;
  double log_likelihood = 0.0;
};

/// Maximum likelihood. The interval of each parameter is that of its profile likelihood (Cox and
/// Oakes, Analysis of Survival Data, 1984, section 3.3): where it is not worse than the best by
/// more than half the 0.95 quantile of chi square with one degree. Absent for fewer than three
/// values or equal ones; values must be positive.
std::optional<WeibullFit> fit_weibull(const std::vector<double>& values_s);

/// Maximum likelihood (divisor n in sigma). The intervals are exact for a lognormal sample: by
/// Student's t and by chi square with n - 1 degrees. Absent as above.
std::optional<LognormalFit> fit_lognormal(const std::vector<double>& values_s);

/// Of the exponential law with the sample's mean, to compare with the above.
double exponential_log_likelihood(const std::vector<double>& values_s);

}  // namespace faultline
