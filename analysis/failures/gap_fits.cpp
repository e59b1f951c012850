// SPDX-License-Identifier: Apache-2.0
#include "analysis/failures/gap_fits.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "analysis/statistics/compensated_sum.hpp"

namespace faultline::failures {

namespace {

constexpr std::size_t kFewest = 3;
constexpr double kPi = 3.14159265358979323846;

/// How far a log-likelihood inside the interval may be below the best one: half the 0.95 quantile
/// of chi square with one degree.
const double kAllowedLoss = boost::math::quantile(boost::math::chi_squared(1), 0.95) / 2;

/// Finds the zero of an increasing function of a positive number, to the last digits. It doubles or
/// halves from `start` until it has a bracket, then bisects in the logarithm.
template <class Function>
double zero_of_increasing(Function function, double start) {
  double low = start;
  double high = start;
  while (function(low) > 0 && low > 1e-100) low /= 2;
  while (function(high) < 0 && high < 1e100) high *= 2;
  for (int i = 0; i < 200 && high / low - 1 > 1e-15; ++i) {
    const double middle = std::sqrt(low * high);
    (function(middle) > 0 ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

template <class Term>
double sum_of(const std::vector<double>& values, Term term) {
  statistics::CompensatedSum sum;
  for (const double value : values) sum.add(term(value));
  return sum.value();
}

/// The likelihood of Weibull's law, computed from the logarithms of a sample. Powers are relative
/// to the largest value, so that none overflows.
class WeibullLikelihood {
 public:
  explicit WeibullLikelihood(std::vector<double> logarithms)
      : logarithms_(std::move(logarithms)),
        count_(static_cast<double>(logarithms_.size())),
        largest_(*std::max_element(logarithms_.begin(), logarithms_.end())),
        sum_(sum_of(logarithms_, [](double log) { return log; })) {}

  /// The logarithm of the best scale for a given shape: scale^shape is the mean of x^shape.
  [[nodiscard]] double log_scale(double shape) const {
    const double powers =
        sum_of(logarithms_, [&](double log) { return std::exp(shape * (log - largest_)); });
    return largest_ + std::log(powers / count_) / shape;
  }
  [[nodiscard]] double value(double shape, double log_scale) const {
    const double powers =
        sum_of(logarithms_, [&](double log) { return std::exp(shape * (log - log_scale)); });
    return count_ * std::log(shape) - count_ * shape * log_scale + (shape - 1) * sum_ - powers;
  }
  [[nodiscard]] double best_shape() const {
    return zero_of_increasing(
        [this](double shape) {
          const double powers =
              sum_of(logarithms_, [&](double log) { return std::exp(shape * (log - largest_)); });
          const double weighted = sum_of(
              logarithms_, [&](double log) { return log * std::exp(shape * (log - largest_)); });
          return weighted / powers - 1 / shape - sum_ / count_;
        },
        1.0);
  }
  /// The best shape for a given scale.
  [[nodiscard]] double best_shape_at(double log_scale) const {
    return zero_of_increasing(
        [&](double shape) {
          return sum_of(logarithms_,
                        [&](double log) {
                          const double z = log - log_scale;
                          return z * (std::exp(std::min(700.0, shape * z)) - 1);
                        }) -
                 count_ / shape;
        },
        1.0);
  }

 private:
  std::vector<double> logarithms_;
  double count_;
  double largest_;
  double sum_;
};

/// The interval in which a profile likelihood, best at `estimate`, loses no more than is allowed.
template <class Profile>
statistics::Interval profile_interval(Profile profile, double estimate) {
  const double least = profile(estimate) - kAllowedLoss;
  const double high = zero_of_increasing(
      [&](double x) { return x <= estimate ? -1.0 : least - profile(x); }, estimate);
  const double low = zero_of_increasing(
      [&](double x) { return x >= estimate ? 1.0 : profile(x) - least; }, estimate);
  return {low, high};
}

/// The logarithms of a sample, or nothing if it has too few or only equal values to fit a law.
std::vector<double> logarithms_of(const std::vector<double>& values_s) {
  std::vector<double> logarithms;
  logarithms.reserve(values_s.size());
  for (const double value_s : values_s) logarithms.push_back(std::log(value_s));
  const auto [low, high] = std::minmax_element(logarithms.begin(), logarithms.end());
  if (logarithms.size() < kFewest || *low == *high) logarithms.clear();
  return logarithms;
}

}  // namespace

std::optional<WeibullFit> fit_weibull(const std::vector<double>& values_s) {
  std::vector<double> logarithms = logarithms_of(values_s);
  if (logarithms.empty()) return std::nullopt;
  const WeibullLikelihood likelihood(std::move(logarithms));
  WeibullFit fit;
  fit.shape.estimate = likelihood.best_shape();
  const double log_scale = likelihood.log_scale(fit.shape.estimate);
  fit.scale_s.estimate = std::exp(log_scale);
  fit.log_likelihood = likelihood.value(fit.shape.estimate, log_scale);
  fit.shape.confidence_95 = profile_interval(
      [&](double shape) { return likelihood.value(shape, likelihood.log_scale(shape)); },
      fit.shape.estimate);
  fit.scale_s.confidence_95 = profile_interval(
      [&](double scale_s) {
        const double log_of_scale = std::log(scale_s);
        return likelihood.value(likelihood.best_shape_at(log_of_scale), log_of_scale);
      },
      fit.scale_s.estimate);
  return fit;
}

std::optional<LognormalFit> fit_lognormal(const std::vector<double>& values_s) {
  const std::vector<double> logarithms = logarithms_of(values_s);
  if (logarithms.empty()) return std::nullopt;
  const auto count = static_cast<double>(logarithms.size());
  const double mean = sum_of(logarithms, [](double log) { return log; }) / count;
  const double squares =
      sum_of(logarithms, [&](double log) { return (log - mean) * (log - mean); });
  LognormalFit fit;
  fit.mu.estimate = mean;
  fit.sigma.estimate = std::sqrt(squares / count);
  const double half =
      statistics::student_t_95(logarithms.size()) * std::sqrt(squares / (count - 1) / count);
  fit.mu.confidence_95 = {mean - half, mean + half};
  const boost::math::chi_squared law(count - 1);
  fit.sigma.confidence_95 = {std::sqrt(squares / boost::math::quantile(law, 0.975)),
                             std::sqrt(squares / boost::math::quantile(law, 0.025))};
  fit.log_likelihood = -count * mean - count / 2 * (std::log(2 * kPi * squares / count) + 1);
  return fit;
}

double exponential_log_likelihood(const std::vector<double>& values_s) {
  const auto count = static_cast<double>(values_s.size());
  const double mean = sum_of(values_s, [](double value) { return value; }) / count;
  return -count * (std::log(mean) + 1);
}

}  // namespace faultline::failures
