// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/strata.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "analysis/statistics/metric_type.hpp"
#include "sim/core/random.hpp"

namespace faultline::statistics {

namespace {

void add_runs(StratifiedSample& sample, const Stratum& stratum, double value, std::size_t runs) {
  for (std::size_t i = 0; i < runs; ++i) sample.add(stratum, value);
}

double binomial(std::size_t trials, std::size_t successes, double p) {
  double law = std::pow(p, static_cast<double>(successes)) *
               std::pow(1.0 - p, static_cast<double>(trials - successes));
  for (std::size_t i = 0; i < successes; ++i)
    law *= static_cast<double>(trials - i) / static_cast<double>(i + 1);
  return law;
}

struct BinomialStratum {
  double weight;
  std::size_t runs;
  double p;
};

/// The probability that the interval has the truth in it, over all samples of two strata.
double coverage(const std::array<BinomialStratum, 2>& strata) {
  const auto& [one, other] = strata;
  const double truth = one.weight * one.p + other.weight * other.p;
  double covered = 0.0;
  for (std::size_t i = 0; i <= one.runs; ++i)
    for (std::size_t j = 0; j <= other.runs; ++j) {
      StratifiedSample sample;
      const Stratum first{.number = 1, .weight = one.weight};
      const Stratum second{.number = 2, .weight = other.weight};
      add_runs(sample, first, 1.0, i);
      add_runs(sample, first, 0.0, one.runs - i);
      add_runs(sample, second, 1.0, j);
      add_runs(sample, second, 0.0, other.runs - j);
      const auto interval = sample.summary(StrataOf::shares).confidence_95;
      REQUIRE(interval);
      if (interval->low <= truth + 1e-12 && truth <= interval->high + 1e-12)
        covered += binomial(one.runs, i, one.p) * binomial(other.runs, j, other.p);
    }
  return covered;
}

}  // namespace

TEST_CASE("[strata] one stratum that is everything is a plain sample") {
  const std::vector<double> values = {3, 4, 5, 9};
  StratifiedSample numbers;
  for (const double value : values) numbers.add({.number = 1, .weight = 1.0}, value);
  const Summary stratified = numbers.summary(StrataOf::numbers);
  const Summary plain = summarize(values);
  CHECK(stratified.count == 4);
  CHECK(*stratified.mean == Approx(*plain.mean));
  CHECK(stratified.confidence_95->low == Approx(plain.confidence_95->low));
  CHECK(stratified.confidence_95->high == Approx(plain.confidence_95->high));
  CHECK(*stratified.min == 3);
  CHECK(*stratified.max == 9);

  StratifiedSample shares;
  add_runs(shares, {.number = 1, .weight = 1.0}, 1.0, 5);
  add_runs(shares, {.number = 1, .weight = 1.0}, 0.0, 5);
  CHECK(shares.summary(StrataOf::shares).confidence_95->low == Approx(0.187).margin(5e-4));
}

TEST_CASE("[strata] each stratum counts by its weight, however many runs it has") {
  // By hand: 0.9 * 2 + 0.1 * 20; variance 0.9^2 * 2 / 2 + 0.1^2 * 2 / 4 * 4 / 3.
  StratifiedSample sample;
  for (const double value : {1.0, 3.0}) sample.add({.number = 1, .weight = 0.9}, value);
  for (const double value : {19.0, 21.0, 19.0, 21.0})
    sample.add({.number = 2, .weight = 0.1}, value);
  const Summary summary = sample.summary(StrataOf::numbers);
  CHECK(*summary.mean == Approx(3.8));
  CHECK(summary.is_stratified);
  const double first = 0.81 * 2.0 / 2.0;
  const double second = 0.01 * (4.0 / 3.0) / 4.0;
  // Satterthwaite: 1.0083 degrees of freedom, whose quantile is close to that of one, 12.706.
  const double half_width = summary.confidence_95->high - *summary.mean;
  CHECK(half_width == Approx(12.706 * std::sqrt(first + second)).epsilon(0.03));
}

TEST_CASE("[strata] the interval of a share has the truth in it as often as it says") {
  // All samples of all pairs. Less than 95 % only where two strata have five runs together.
  for (const double p : {0.02, 0.3, 0.5, 0.95})
    for (const double q : {0.0, 0.1, 0.6, 0.99})
      for (const double weight : {0.03, 0.4, 0.9}) {
        INFO(p << " " << q << " " << weight);
        CHECK(coverage({{{weight, 8, p}, {1.0 - weight, 12, q}}}) >= 0.95);
        CHECK(coverage({{{weight, 3, p}, {1.0 - weight, 2, q}}}) >= 0.94);
      }
}

TEST_CASE("[strata] a stratum that is sure adds nothing, unless a run contradicts it") {
  const Stratum sure{.number = 1, .weight = 0.9, .is_sure = true};
  StratifiedSample sample;
  add_runs(sample, sure, 1.0, 3);
  add_runs(sample, {.number = 2, .weight = 0.1}, 1.0, 100);
  const auto alone = sample.summary(StrataOf::shares).confidence_95;
  CHECK(alone->low == Approx(1.0 - 0.1 * (1.0 - std::pow(0.025, 0.01))));
  CHECK(alone->high == 1.0);
  sample.add(sure, 0.0);
  CHECK(sample.summary(StrataOf::shares).confidence_95->low < 0.5);
}

TEST_CASE("[strata] what has had no run can be anything") {
  StratifiedSample sample;
  add_runs(sample, {.number = 1, .weight = 0.75}, 1.0, 10000);
  const auto share = sample.summary(StrataOf::shares).confidence_95;
  CHECK(share->low <= 0.75);
  CHECK(share->low > 0.74);
  CHECK(share->high == 1.0);
  CHECK_FALSE(sample.summary(StrataOf::numbers).confidence_95);
  CHECK(StratifiedSample().summary(StrataOf::shares).count == 0);
}

TEST_CASE("[strata] the mean over survivors weighs each stratum by who survives in it") {
  // Nine tenths take 10 s and always survive; of the rest half survive, after 30 s.
  StratifiedSample sample;
  add_runs(sample, {.number = 1, .weight = 0.9}, 10.0, 4);
  add_runs(sample, {.number = 2, .weight = 0.1}, 30.0, 20);
  for (int i = 0; i < 20; ++i) sample.add({.number = 2, .weight = 0.1}, std::nullopt);
  const Summary summary = sample.summary(StrataOf::numbers);
  CHECK(*summary.mean == Approx((0.9 * 10 + 0.05 * 30) / 0.95));
  CHECK(summary.count == 24);
}

TEST_CASE("[strata] the interval of numbers has the truth in it as often as it says") {
  // Times of two strata, 100 runs each; the second survives in 60 % of the cases.
  constexpr int kSamples = 2000;
  constexpr int kRuns = 100;
  const double truth = (0.8 * 5.0 + 0.2 * 0.6 * 12.0) / (0.8 + 0.2 * 0.6);
  Stream random(20261130, 0, Purpose::faults, 0);
  int covered = 0;
  for (int i = 0; i < kSamples; ++i) {
    StratifiedSample sample;
    for (int run = 0; run < kRuns; ++run) {
      sample.add({.number = 1, .weight = 0.8}, 10.0 * random.uniform());
      const bool survives = random.uniform() < 0.6;
      const double time_s = 24.0 * random.uniform();
      sample.add({.number = 2, .weight = 0.2}, survives ? std::optional(time_s) : std::nullopt);
    }
    const auto interval = sample.summary(StrataOf::numbers).confidence_95;
    covered += interval->low <= truth && truth <= interval->high ? 1 : 0;
  }
  // 95 % of 2,000, and four standard errors of a binomial number around it.
  CHECK(covered >= 1860);
  CHECK(covered <= 1940);
}

TEST_CASE("[strata] the difference of shares is the weighted one of the pairs") {
  StratifiedSample pairs;
  add_runs(pairs, {.number = 1, .weight = 0.5}, 0.0, 40);
  add_runs(pairs, {.number = 2, .weight = 0.5}, 1.0, 30);
  add_runs(pairs, {.number = 2, .weight = 0.5}, -1.0, 10);
  const Summary summary = pairs.summary(StrataOf::share_differences);
  CHECK(*summary.mean == Approx(0.25));
  CHECK(summary.confidence_95->low > 0.0);
  CHECK(summary.confidence_95->high < 0.5);
  StratifiedSample wrong;
  wrong.add({.number = 1, .weight = 1.0}, -1.0);
  CHECK_THROWS_AS(wrong.summary(StrataOf::shares), std::invalid_argument);
}

}  // namespace faultline::statistics
