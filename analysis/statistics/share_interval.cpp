// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/share_interval.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <stdexcept>

namespace faultline::statistics {

namespace {

/// The relative entropy of two coins, in nats: the exponent, per value, of Hoeffding's bound on a
/// mean that strays this far from the expectation.
double divergence(double mean, double expectation) {
  const auto part = [](double of, double from) {
    return of <= 0.0 ? 0.0 : from <= 0.0 ? INFINITY : of * std::log(of / from);
  };
  return part(mean, expectation) + part(1.0 - mean, 1.0 - expectation);
}

/// Returns the expectation between the mean and `end` (0 or 1) at which the divergence reaches
/// `most`, or `end` if it never does. Of the last two doubles it takes the one further from the
/// mean.
double reach(double mean, double end, double most) {
  double within = mean;
  double beyond = end;
  if (divergence(mean, beyond) <= most) return end;
  for (;;) {
    const double middle = within + (beyond - within) / 2;
    if (middle == within || middle == beyond) return beyond;
    (divergence(mean, middle) <= most ? within : beyond) = middle;
  }
}

}  // namespace

Interval share_interval(std::size_t successes, std::size_t trials, double outside) {
  if (successes > trials) throw std::invalid_argument("share: more successes than trials");
  using Beta = boost::math::beta_distribution<>;
  const auto good = static_cast<double>(successes);
  const auto bad = static_cast<double>(trials - successes);
  Interval interval{0.0, 1.0};
  if (successes > 0) interval.low = boost::math::quantile(Beta(good, bad + 1), outside / 2);
  if (successes < trials)
    interval.high = boost::math::quantile(complement(Beta(good + 1, bad), outside / 2));
  return interval;
}

Interval bounded_mean_interval(double mean, std::size_t count, double outside) {
  if (!(mean >= 0.0 && mean <= 1.0))
    throw std::invalid_argument("share: a mean is not from 0 to 1");
  if (count == 0) return {0.0, 1.0};
  const double most = std::log(2.0 / outside) / static_cast<double>(count);
  return {reach(mean, 0.0, most), reach(mean, 1.0, most)};
}

Interval share_difference_interval(const PairedShares& shares, double outside) {
  const std::size_t apart = shares.first_alone + shares.second_alone;
  const Interval parts = share_interval(apart, shares.pairs, 0.1 * outside);
  const Interval first = share_interval(shares.first_alone, apart, 0.9 * outside);
  const auto end = [&](double better, bool high) {
    const double lead = 2.0 * better - 1.0;
    return lead * ((lead > 0.0) == high ? parts.high : parts.low);
  };
  return {end(first.low, false), end(first.high, true)};
}

}  // namespace faultline::statistics
