// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/strata.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <stdexcept>

#include "analysis/statistics/share_interval.hpp"

namespace faultline::statistics {

namespace {

double square(double value) { return value * value; }

/// The least value of the kind; the largest is 1.
double lowest(StrataOf what) { return what == StrataOf::share_differences ? -1.0 : 0.0; }

}  // namespace

double StratifiedSample::Part::present() const {
  return static_cast<double>(values.summary().count) / static_cast<double>(runs);
}

Interval StratifiedSample::Part::share(StrataOf what, double outside) const {
  const Summary of = values.summary();
  if (*of.min < lowest(what) || *of.max > 1.0)
    throw std::invalid_argument("strata: a share is out of its range");
  if (what == StrataOf::means_of_shares) return bounded_mean_interval(*of.mean, of.count, outside);
  if (what == StrataOf::shares) return share_interval(ones, of.count, outside);
  return share_difference_interval(
      {.pairs = of.count, .first_alone = ones, .second_alone = minus_ones}, outside);
}

void StratifiedSample::add(const Stratum& from, std::optional<double> value) {
  Part& part = parts_[from];
  ++part.runs;
  if (!value) return;
  part.values.add(*value);
  part.ones += *value == 1.0 ? 1 : 0;
  part.minus_ones += *value == -1.0 ? 1 : 0;
}

Summary StratifiedSample::summary(StrataOf what, double outside) const {
  Summary summary;
  summary.is_stratified = true;
  summary.is_share = what != StrataOf::numbers;
  double weights = 0.0;
  double mean = 0.0;
  double squares = 0.0;  // of deviations from the mean of the strata so far, as by Welford
  for (const auto& [stratum, part] : parts_) {
    const Summary of = part.values.summary();
    if (of.count == 0) continue;
    summary.count += of.count;
    summary.min = std::min(summary.min.value_or(*of.min), *of.min);
    summary.max = std::max(summary.max.value_or(*of.max), *of.max);
    const double weight = stratum.weight * part.present();
    weights += weight;
    const double deviation = *of.mean - mean;
    mean += deviation * weight / weights;
    squares +=
        weight * (square(of.standard_deviation.value_or(0.0)) + deviation * (*of.mean - mean));
  }
  if (summary.count == 0) return summary;
  summary.mean = mean;
  if (summary.count > 1) summary.standard_deviation = std::sqrt(squares / weights);
  summary.confidence_95 =
      summary.is_share ? shares_around(mean, what, outside) : numbers_around(mean, outside);
  return summary;
}

double StratifiedSample::unseen_weight() const {
  double unseen = 1.0;
  for (const auto& [stratum, part] : parts_) unseen -= stratum.weight;
  constexpr double kRounding = 1e-9;  // of a sum of some hundred weights
  return unseen < kRounding ? 0.0 : unseen;
}

/// The squared distances of the ends from the strata's means add up, by weight, as variances do.
Interval StratifiedSample::shares_around(double mean, StrataOf what, double outside) const {
  const double unseen = unseen_weight();
  double weights = unseen;
  double below = square(unseen * (mean - lowest(what)));
  double above = square(unseen * (1.0 - mean));
  for (const auto& [stratum, part] : parts_) {
    const Summary of = part.values.summary();
    if (of.count == 0) continue;
    const double weight = stratum.weight * part.present();
    weights += weight;
    if (stratum.is_sure && *of.min == *of.max) continue;
    const Interval interval = part.share(what, outside);
    below += square(weight * (*of.mean - interval.low));
    above += square(weight * (interval.high - *of.mean));
  }
  return {std::max(lowest(what), mean - std::sqrt(below) / weights),
          std::min(1.0, mean + std::sqrt(above) / weights)};
}

/// The variance of a ratio is, to first order, that of the distances from it, where a run without a
/// value has the distance 0.
std::optional<Interval> StratifiedSample::numbers_around(double mean, double outside) const {
  if (unseen_weight() > 0.0) return std::nullopt;
  double weights = 0.0;
  double variance = 0.0;
  double by_degrees = 0.0;
  for (const auto& [stratum, part] : parts_) {
    if (part.runs < 2) return std::nullopt;
    const Summary of = part.values.summary();
    const auto runs = static_cast<double>(part.runs);
    const auto values = static_cast<double>(of.count);
    const double distance = of.mean.value_or(mean) - mean;
    const double squares = (values - 1.0) * square(of.standard_deviation.value_or(0.0)) +
                           values * square(distance) - square(values * distance) / runs;
    const double of_part = square(stratum.weight) * squares / (runs - 1.0) / runs;
    weights += stratum.weight * part.present();
    variance += of_part;
    by_degrees += square(of_part) / (runs - 1.0);
  }
  if (variance == 0.0) return Interval{mean, mean};
  const boost::math::students_t law(square(variance) / by_degrees);
  const double half_width = boost::math::quantile(boost::math::complement(law, outside / 2)) *
                            std::sqrt(variance) / weights;
  return Interval{mean - half_width, mean + half_width};
}

}  // namespace faultline::statistics
