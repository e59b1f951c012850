// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/share_interval.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/text/summary_text.hpp"

namespace faultline::statistics {

namespace {

/// The probabilities of 0 to `trials` successes, by adding one trial after the other.
std::vector<double> binomial(std::size_t trials, double p) {
  std::vector<double> law = {1.0};
  for (std::size_t trial = 0; trial < trials; ++trial) {
    law.push_back(0.0);
    for (std::size_t i = law.size(); i-- > 0;)
      law[i] = law[i] * (1.0 - p) + (i > 0 ? law[i - 1] * p : 0.0);
  }
  return law;
}

bool holds(const Interval& interval, double value) {
  // Two ends that are equal on paper may differ in their last digits.
  constexpr double kRounding = 1e-12;
  return interval.low <= value + kRounding && interval.high >= value - kRounding;
}

bool is_within(const Interval& interval, double low, double high) {
  return low <= interval.low && interval.low <= interval.high && interval.high <= high;
}

/// The probability that the interval of a share of `trials` runs has the truth in it.
template <class IntervalOf>
double coverage(std::size_t trials, double p, const IntervalOf& interval_of) {
  const std::vector<double> law = binomial(trials, p);
  double covered = 0;
  for (std::size_t i = 0; i <= trials; ++i)
    if (holds(interval_of(i), p)) covered += law[i];
  return covered;
}

std::vector<double> runs_of(std::size_t ones, std::size_t runs) {
  std::vector<double> values(runs, 0.0);
  std::fill_n(values.begin(), ones, 1.0);
  return values;
}

constexpr double kRounding = 1e-9;  // of a sum of some hundred probabilities

}  // namespace

TEST_CASE("the interval of a share is the one of printed tables") {
  // Clopper and Pearson's, as in the tables of Documenta Geigy.
  for (const auto& [successes, trials, low, high] :
       std::vector<std::tuple<std::size_t, std::size_t, double, double>>{{0, 10, 0.0, 0.3085},
                                                                         {1, 10, 0.0025, 0.4450},
                                                                         {5, 10, 0.1871, 0.8129},
                                                                         {10, 10, 0.6915, 1.0},
                                                                         {3, 4, 0.1941, 0.9937}}) {
    const Interval interval = share_interval(successes, trials, 0.05);
    CHECK(interval.low == Approx(low).margin(5e-5));
    CHECK(interval.high == Approx(high).margin(5e-5));
  }
  CHECK(share_interval(0, 0, 0.05).low == 0.0);
  CHECK(share_interval(0, 0, 0.05).high == 1.0);
  CHECK_THROWS_AS(share_interval(2, 1, 0.05), std::invalid_argument);
}

TEST_CASE("the interval of a share has the truth in it as often as it says, for every share") {
  for (const std::size_t trials : {1U, 2U, 3U, 5U, 8U, 13U, 20U, 30U, 50U, 100U, 300U})
    for (const double outside : {0.05, 0.01}) {
      std::vector<Interval> intervals;
      for (std::size_t i = 0; i <= trials; ++i) {
        intervals.push_back(share_interval(i, trials, outside));
        REQUIRE(is_within(intervals.back(), 0.0, 1.0));
      }
      std::vector<double> shares = {0.0, 1.0, 0.973};
      for (int i = 1; i < 100; ++i) shares.push_back(i / 100.0);
      // Where coverage jumps: at the ends of the intervals.
      for (const Interval& interval : intervals) {
        shares.push_back(interval.low * (1 - 1e-9));
        shares.push_back(std::min(1.0, interval.high * (1 + 1e-9)));
      }
      for (const double share : shares) {
        INFO(trials << " runs, share " << share);
        REQUIRE(coverage(trials, share, [&](std::size_t i) { return intervals[i]; }) >=
                1.0 - outside - kRounding);
      }
    }
}

TEST_CASE("Student's t would have a rare failure's share in it far too seldom") {
  const auto by_t = [](std::size_t ones) { return *summarize(runs_of(ones, 30)).confidence_95; };
  const auto exact = [](std::size_t ones) {
    return *summarize_share(runs_of(ones, 30)).confidence_95;
  };
  CHECK(coverage(30, 0.973, by_t) < 0.64);
  CHECK(coverage(30, 0.973, exact) >= 0.95);
  CHECK(by_t(29).high > 1.0);
  CHECK(exact(29).high < 1.0);
}

TEST_CASE("the interval of a mean between 0 and 1 has the truth in it, however values are spread") {
  // Laws of values in steps of a quarter.
  const std::vector<std::vector<double>> laws = {{0.2, 0.2, 0.2, 0.2, 0.2}, {0.5, 0, 0, 0, 0.5},
                                                 {0.02, 0, 0.02, 0, 0.96},  {0, 0.9, 0, 0, 0.1},
                                                 {0.999, 0, 0, 0.001, 0},   {0, 0, 1, 0, 0}};
  for (const std::vector<double>& law : laws)
    for (const std::size_t count : {1U, 2U, 5U, 12U, 30U}) {
      double truth = 0;
      for (std::size_t i = 0; i < law.size(); ++i) truth += law[i] * static_cast<double>(i) / 4;
      std::vector<double> sums = {1.0};  // of the sum, in quarters
      for (std::size_t n = 0; n < count; ++n) {
        std::vector<double> next(sums.size() + 4, 0.0);
        for (std::size_t sum = 0; sum < sums.size(); ++sum)
          for (std::size_t i = 0; i < law.size(); ++i) next[sum + i] += sums[sum] * law[i];
        sums = next;
      }
      double covered = 0;
      for (std::size_t sum = 0; sum < sums.size(); ++sum) {
        const double mean = static_cast<double>(sum) / 4 / static_cast<double>(count);
        const Interval interval = bounded_mean_interval(mean, count, 0.05);
        REQUIRE(is_within(interval, 0.0, 1.0));
        REQUIRE(holds(interval, mean));
        if (holds(interval, truth)) covered += sums[sum];
      }
      CHECK(covered >= 0.95 - kRounding);
    }
  // Where all are 1, the bound is Clopper and Pearson's.
  CHECK(bounded_mean_interval(1.0, 30, 0.05).low == Approx(std::pow(0.025, 1.0 / 30)));
  CHECK(bounded_mean_interval(0.5, 0, 0.05).high == 1.0);
  CHECK_THROWS_AS(bounded_mean_interval(1.5, 3, 0.05), std::invalid_argument);
}

TEST_CASE("the interval of a difference of shares has the truth in it as often as it says") {
  constexpr double kOutside = 0.05;
  for (const std::size_t pairs : {1U, 2U, 5U, 10U, 20U}) {
    std::map<std::pair<std::size_t, std::size_t>, Interval> intervals;
    for (std::size_t first = 0; first <= pairs; ++first)
      for (std::size_t second = 0; first + second <= pairs; ++second) {
        const Interval interval = share_difference_interval({pairs, first, second}, kOutside);
        REQUIRE(is_within(interval, -1.0, 1.0));
        REQUIRE(holds(interval, (static_cast<double>(first) - static_cast<double>(second)) /
                                    static_cast<double>(pairs)));
        intervals[{first, second}] = interval;
      }
    for (int i = 0; i <= 20; ++i)
      for (int j = 0; i + j <= 20; ++j) {
        // The probabilities that the first, or the second, ends well alone.
        const double first_alone = i / 20.0;
        const double second_alone = j / 20.0;
        const std::vector<double> of_first = binomial(pairs, first_alone);
        double covered = 0;
        for (std::size_t first = 0; first <= pairs; ++first) {
          const double rest = first_alone < 1.0 ? second_alone / (1.0 - first_alone) : 0.0;
          const std::vector<double> of_second = binomial(pairs - first, std::min(rest, 1.0));
          for (std::size_t second = 0; first + second <= pairs; ++second)
            if (holds(intervals[{first, second}], first_alone - second_alone))
              covered += of_first[first] * of_second[second];
        }
        INFO(pairs << " pairs, " << first_alone << " and " << second_alone);
        REQUIRE(covered >= 1.0 - kOutside - kRounding);
      }
  }
}

TEST_CASE("a difference of shares is shown where McNemar's exact test shows it") {
  // Six pairs that all part in one direction: 2 / 2^6 = 0.03; five: 0.06.
  CHECK(share_difference_interval({30, 6, 0}, 0.05).low > 0.0);
  CHECK(share_difference_interval({30, 0, 6}, 0.05).high < 0.0);
  CHECK(share_difference_interval({30, 5, 0}, 0.05).low < 0.0);
  const Interval one = share_difference_interval({30, 7, 2}, 0.05);
  const Interval other = share_difference_interval({30, 2, 7}, 0.05);
  CHECK(one.low == Approx(-other.high));
  CHECK(one.high == Approx(-other.low));
  // Nobody parts: a difference of more than a fifth would have shown.
  const Interval alike = share_difference_interval({30, 0, 0}, 0.05);
  CHECK(alike.low == -alike.high);
  CHECK(alike.high < 0.2);
}

TEST_CASE("the summary of a share has its mean and an interval that one value is enough for") {
  const Summary summary = summarize_share(runs_of(29, 30));
  CHECK(summary.is_share);
  CHECK(*summary.mean == 29.0 / 30.0);
  CHECK(summary.count == 30);
  CHECK(text::with_interval(summary) == "0.967 [0.828, 0.999]");
  CHECK(text::with_interval(summarize_share({1.0})) == "1.00 [0.03, 1.00]");
  CHECK_FALSE(summarize_share({}).confidence_95);
  CHECK_THROWS_AS(summarize_share({0.5}), std::invalid_argument);
  CHECK(*summarize_share({0.5, 1.0}, ShareValues::means).mean == 0.75);
}

}  // namespace faultline::statistics
