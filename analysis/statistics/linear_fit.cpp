// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/linear_fit.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "analysis/statistics/summary.hpp"

namespace faultline::statistics {

namespace {

/// The means of x and of the samples, and sums of products of deviations from them. Without the
/// means, large numbers would swallow the spread.
struct CentredSums {
  std::size_t count = 0;
  double mean_x = 0.0;
  double mean_y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
};

CentredSums centred_sums(const std::vector<double>& x, const std::vector<double>& y) {
  CentredSums sums{.count = x.size(), .mean_x = *summarize(x).mean, .mean_y = *summarize(y).mean};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - sums.mean_x;
    const double dy = y[i] - sums.mean_y;
    sums.xx += dx * dx;
    sums.xy += dx * dy;
    sums.yy += dy * dy;
  }
  return sums;
}

Estimate without_value(const std::string& trouble) { return {std::nullopt, std::nullopt, trouble}; }

/// Adds the intervals of a coefficient that has this standard error.
void add_intervals(Estimate& coefficient, double error, std::size_t samples) {
  const auto interval = [&](double outside) {
    // student_t() takes the number of values of a mean, which has one degree of freedom more.
    const double half = student_t(samples - 1, outside) * error;
    return Interval{*coefficient.value - half, *coefficient.value + half};
  };
  coefficient.confidence_95 = interval(0.05);
  coefficient.confidence_99 = interval(0.01);
}

/// The interval of the squared correlation by Fisher's z. Where the correlation may be 0, it begins
/// there.
Interval fisher_interval(double r_squared, std::size_t samples, double outside) {
  const double z = std::atanh(std::sqrt(r_squared));
  const boost::math::normal distribution;
  const double half = boost::math::quantile(boost::math::complement(distribution, outside / 2)) /
                      std::sqrt(static_cast<double>(samples) - 3);
  const double low = std::tanh(std::max(z - half, 0.0));
  const double high = std::tanh(z + half);
  return {low * low, high * high};
}

Estimate r_squared_of(const CentredSums& sums, double residual_squares, std::size_t different_x) {
  if (different_x < 3) return without_value("R^2 needs three different x");
  if (sums.yy == 0.0) return without_value("all means are equal, so there is no R^2");
  // Rounding alone can take R^2 below 0.
  const double r_squared = std::max(1.0 - residual_squares / sums.yy, 0.0);
  Estimate estimate{r_squared, std::nullopt, ""};
  if (sums.count < 4) return estimate;
  estimate.confidence_95 = fisher_interval(r_squared, sums.count, 0.05);
  estimate.confidence_99 = fisher_interval(r_squared, sums.count, 0.01);
  return estimate;
}

}  // namespace

LinearFit fit_line(const std::vector<SampleAt>& samples) {
  std::vector<double> x;
  std::vector<double> y;
  for (const SampleAt& sample : samples) {
    const Summary summary = summarize(sample.values);
    if (!summary.mean) throw std::invalid_argument("linear fit: a sample is empty");
    if (!std::isfinite(sample.x)) throw std::invalid_argument("linear fit: an x is not finite");
    x.push_back(sample.x);
    y.push_back(*summary.mean);
  }
  const std::size_t different = different_values(x);
  if (different < 2) {
    const Estimate none = without_value("a line needs two different x");
    return {none, none, none};
  }
  const CentredSums sums = centred_sums(x, y);
  const double slope = sums.xy / sums.xx;
  const double intercept = sums.mean_y - slope * sums.mean_x;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = y[i] - sums.mean_y - slope * (x[i] - sums.mean_x);
    squares += residual * residual;
  }
  const auto count = static_cast<double>(sums.count);
  const double leverage = 1 / count + sums.mean_x * sums.mean_x / sums.xx;
  if (!std::isfinite(leverage) || !std::isfinite(intercept) || !std::isfinite(squares)) {
    const Estimate none = without_value("the numbers are too large or too close for a line");
    return {none, none, none};
  }
  LinearFit fit{{slope, std::nullopt, ""},
                {intercept, std::nullopt, ""},
                r_squared_of(sums, squares, different)};
  if (different < 3) return fit;
  const double variance = squares / (count - 2);
  add_intervals(fit.slope, std::sqrt(variance / sums.xx), sums.count);
  add_intervals(fit.intercept, std::sqrt(variance * leverage), sums.count);
  return fit;
}

std::size_t different_values(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

}  // namespace faultline::statistics
