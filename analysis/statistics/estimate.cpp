// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/estimate.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "analysis/statistics/share_interval.hpp"

namespace faultline::statistics {

Estimate estimate_mean(const std::vector<double>& values) {
  const Summary summary = summarize(values);
  Estimate estimate{summary.mean, summary.confidence_95,
                    summary.mean ? "" : "nothing was measured"};
  if (summary.count < 2) return estimate;
  const auto count = static_cast<double>(summary.count);
  const boost::math::students_t distribution(count - 1);
  const double half =
      boost::math::quantile(distribution, 0.995) * *summary.standard_deviation / std::sqrt(count);
  estimate.confidence_99 = Interval{*summary.mean - half, *summary.mean + half};
  return estimate;
}

Estimate estimate_mean(const std::vector<double>& values, const std::vector<double>& companions,
                       double exact_companion_mean) {
  const Summary of_values = summarize(values);
  const Summary of_companions = summarize(companions);
  if (of_values.count < 4 || *of_companions.standard_deviation == 0.0) return estimate_mean(values);
  double covariance = 0;
  double variance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double companion = companions[i] - *of_companions.mean;
    covariance += companion * (values[i] - *of_values.mean);
    variance += companion * companion;
  }
  const double slope = covariance / variance;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double residual =
        values[i] - *of_values.mean - slope * (companions[i] - *of_companions.mean);
    squares += residual * residual;
  }
  const auto count = static_cast<double>(values.size());
  const double missed = *of_companions.mean - exact_companion_mean;
  const double mean = *of_values.mean - slope * missed;
  // The standard error of a regression's prediction at a point; it has count - 2 degrees of
  // freedom.
  const double error = std::sqrt(squares / (count - 2) * (1 / count + missed * missed / variance));
  const boost::math::students_t distribution(count - 2);
  const double half = boost::math::quantile(distribution, 0.975) * error;
  return {mean, Interval{mean - half, mean + half}, ""};
}

Estimate estimate_share(const std::vector<double>& zeros_and_ones) {
  const std::size_t runs = zeros_and_ones.size();
  if (runs == 0) return {std::nullopt, std::nullopt, "nothing was measured"};
  const auto zeros = std::count(zeros_and_ones.begin(), zeros_and_ones.end(), 0.0);
  const std::size_t ones = runs - static_cast<std::size_t>(zeros);
  return {static_cast<double>(ones) / static_cast<double>(runs), share_interval(ones, runs, 0.05),
          "", share_interval(ones, runs, 0.01)};
}

Estimate estimate_ratio_of_means(const std::vector<double>& values,
                                 const std::vector<double>& base) {
  const Summary above = summarize(values);
  const Summary below = summarize(base);
  Estimate estimate{*above.mean / *below.mean, std::nullopt, "", std::nullopt};
  if (above.count < 2 || below.count < 2) return estimate;
  const auto squares = [](const Summary& sample) {
    return static_cast<double>(sample.count - 1) * *sample.standard_deviation *
           *sample.standard_deviation;
  };
  const auto degrees = static_cast<double>(above.count + below.count - 2);
  const double error =
      std::sqrt((squares(above) + squares(below)) / degrees *
                (1.0 / static_cast<double>(above.count) + 1.0 / static_cast<double>(below.count))) /
      *below.mean;
  const auto interval = [&](double outside) {
    const boost::math::students_t distribution(degrees);
    const double half =
        boost::math::quantile(boost::math::complement(distribution, outside / 2)) * error;
    return Interval{*estimate.value - half, *estimate.value + half};
  };
  estimate.confidence_95 = interval(0.05);
  estimate.confidence_99 = interval(0.01);
  return estimate;
}

}  // namespace faultline::statistics
