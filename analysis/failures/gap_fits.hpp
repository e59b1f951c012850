// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/statistics/summary.hpp"

namespace faultline::failures {

/// A parameter of a probability law, fitted to a sample.
struct FittedParameter {
  double estimate = 0.0;
  statistics::Interval confidence_95;
};

/// A Weibull law with the density (shape / scale) (x / scale)^(shape - 1) exp(-(x / scale)^shape).
struct WeibullFit {
  FittedParameter shape;
  FittedParameter scale_s;
  double log_likelihood = 0.0;
};

/// A lognormal law: the logarithm of a value in seconds is normal with mean mu and standard
/// deviation sigma.
struct LognormalFit {
  FittedParameter mu;
  FittedParameter sigma;
  double log_likelihood = 0.0;
};

/// Fits a Weibull law by maximum likelihood. The interval of a parameter holds the values whose
/// profile log-likelihood is below the best by at most half the 0.95 quantile of chi square with
/// one degree (Cox and Oakes, Analysis of Survival Data, 1984, section 3.3). Absent if there are
/// fewer than three values, or all are equal. Values must be positive.
std::optional<WeibullFit> fit_weibull(const std::vector<double>& values_s);

/// Fits a lognormal law by maximum likelihood (divisor n in sigma). The intervals are exact for a
/// lognormal sample: by Student's t and by chi square with n - 1 degrees. Absent as above.
std::optional<LognormalFit> fit_lognormal(const std::vector<double>& values_s);

/// The log-likelihood of the exponential law with the sample's mean, to compare with those above.
double exponential_log_likelihood(const std::vector<double>& values_s);

}  // namespace faultline::failures
