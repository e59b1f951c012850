// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/summary.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <stdexcept>

#include "analysis/statistics/share_interval.hpp"
#include "sim/core/quantile.hpp"

namespace faultline::statistics {

const char* bound_word(MeanBound bound) {
  switch (bound) {
    case MeanBound::exact:
      break;
    case MeanBound::at_least:
      return "at-least";
    case MeanBound::unknown:
      return "unknown";
  }
  return "";
}

double student_t(std::size_t count, double outside) {
  if (count < 2) throw std::invalid_argument("summary: an interval needs at least two values");
  const boost::math::students_t distribution(static_cast<double>(count - 1));
  return boost::math::quantile(boost::math::complement(distribution, outside / 2));
}

double student_t_95(std::size_t count) { return student_t(count, 0.05); }

double student_t_three_sigma(std::size_t count) {
  return student_t(count, std::erfc(3.0 / std::sqrt(2.0)));
}

Boxplot boxplot(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("boxplot: there are no values");
  std::sort(values.begin(), values.end());
  Boxplot box;
  box.min = values.front();
  box.quartile_1 = quantile(values, 0.25);
  box.median = quantile(values, 0.5);
  box.quartile_3 = quantile(values, 0.75);
  box.max = values.back();
  const double reach = 1.5 * (box.quartile_3 - box.quartile_1);
  const auto low = std::lower_bound(values.begin(), values.end(), box.quartile_1 - reach);
  const auto high = std::upper_bound(values.begin(), values.end(), box.quartile_3 + reach) - 1;
  box.whisker_low = std::min(*low, box.quartile_1);
  box.whisker_high = std::max(*high, box.quartile_3);
  return box;
}

void RunningSummary::add(double value) {
  if (!std::isfinite(value)) throw std::invalid_argument("summary: a value is not finite");
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  ++count_;
  const double deviation = value - mean_;
  mean_ += deviation / static_cast<double>(count_);
  squares_ += deviation * (value - mean_);
}

Summary RunningSummary::summary() const {
  Summary summary;
  summary.count = count_;
  if (count_ == 0) return summary;
  summary.min = min_;
  summary.max = max_;
  summary.mean = mean_;
  if (count_ == 1) return summary;
  const auto count = static_cast<double>(count_);
  const double deviation = std::sqrt(squares_ / (count - 1.0));
  const double half_width = student_t_95(count_) * deviation / std::sqrt(count);
  summary.standard_deviation = deviation;
  summary.confidence_95 = Interval{mean_ - half_width, mean_ + half_width};
  return summary;
}

Summary summarize(const std::vector<double>& values) {
  RunningSummary running;
  for (const double value : values) running.add(value);
  return running.summary();
}

Summary summarize_share(const std::vector<double>& values, ShareValues what) {
  constexpr double kOutside = 0.05;
  Summary summary = summarize(values);
  summary.is_share = true;
  summary.confidence_95.reset();
  if (summary.count == 0) return summary;
  if (what == ShareValues::means) {
    summary.confidence_95 = bounded_mean_interval(*summary.mean, summary.count, kOutside);
    return summary;
  }
  const auto ones = static_cast<std::size_t>(std::count(values.begin(), values.end(), 1.0));
  const auto zeros = static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0));
  if (ones + zeros != values.size())
    throw std::invalid_argument("summary: a run's share must be 0 or 1");
  // A single division returns the double nearest to the share.
  summary.mean = static_cast<double>(ones) / static_cast<double>(values.size());
  summary.confidence_95 = share_interval(ones, values.size(), kOutside);
  return summary;
}

}  // namespace faultline::statistics
