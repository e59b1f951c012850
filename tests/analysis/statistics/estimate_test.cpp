// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/estimate.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace faultline::statistics {

TEST_CASE("a share has the exact intervals of the binomial law") {
  // All of n: the lower end is (outside / 2)^(1/n). Half: Clopper and Pearson's own table has
  // 0.187 to 0.813 for 5 of 10 at 95 %.
  const Estimate all = estimate_share({1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(*all.value == 1.0);
  CHECK(all.confidence_95->low == Approx(std::pow(0.025, 0.1)));
  CHECK(all.confidence_95->high == 1.0);
  CHECK(all.confidence_99->low == Approx(std::pow(0.005, 0.1)));
  const Estimate none = estimate_share({0, 0, 0, 0});
  CHECK(none.confidence_99->low == 0.0);
  CHECK(none.confidence_99->high == Approx(1 - std::pow(0.005, 0.25)));
  const Estimate half = estimate_share({1, 0, 1, 0, 1, 0, 1, 0, 1, 0});
  CHECK(*half.value == 0.5);
  CHECK(half.confidence_95->low == Approx(0.187).margin(5e-4));
  CHECK(half.confidence_95->high == Approx(0.813).margin(5e-4));
}

TEST_CASE("a ratio of means has the interval of the difference of both means") {
  // By hand: means 4 and 2, variances 1 each, pooled 1; error sqrt(1/3 + 1/3); t of 4 degrees is
  // 2.776445 (95 %) and 4.604095 (99 %).
  const Estimate ratio = estimate_ratio_of_means({3, 4, 5}, {1, 2, 3});
  CHECK(*ratio.value == Approx(2));
  CHECK(ratio.confidence_95->high == Approx(2 + 2.776445 * std::sqrt(2.0 / 3) / 2));
  CHECK(ratio.confidence_99->low == Approx(2 - 4.604095 * std::sqrt(2.0 / 3) / 2));
  CHECK_FALSE(estimate_ratio_of_means({3}, {2}).confidence_99);
}

TEST_CASE("a mean has the intervals of Student's t") {
  // By hand: mean 4, standard deviation 1; t of 2 degrees is 4.302653 (95 %) and 9.924843 (99 %).
  const Estimate mean = estimate_mean({3, 4, 5});
  CHECK(mean.confidence_95->high == Approx(4 + 4.302653 / std::sqrt(3.0)));
  CHECK(mean.confidence_99->low == Approx(4 - 9.924843 / std::sqrt(3.0)));
  CHECK_FALSE(estimate_mean({3}).confidence_99);
}

TEST_CASE("a control variate takes back what the sample missed of a known mean") {
  // value = 5 + 2 companion exactly: whatever companions were drawn, the mean at 10 is 25.
  const std::vector<double> companions = {1, 2, 4, 8};
  const std::vector<double> values = {7, 9, 13, 21};
  const Estimate estimate = estimate_mean(values, companions, 10.0);
  CHECK(*estimate.value == Approx(25));
  CHECK(estimate.confidence_95->high - estimate.confidence_95->low == Approx(0).margin(1e-9));
  // Least squares by hand: slope 0.6, residuals -0.1, 0.3, -0.3, 0.1; t of 2 degrees is 4.30265.
  const Estimate noisy = estimate_mean({1, 2, 2, 3}, {1, 2, 3, 4}, 2.5);
  CHECK(*noisy.value == Approx(2));
  CHECK(noisy.confidence_95->high == Approx(2 + 4.302653 * std::sqrt(0.2 / 2 / 4)));
  const Estimate beside = estimate_mean({1, 2, 2, 3}, {1, 2, 3, 4}, 3.5);
  CHECK(*beside.value == Approx(2.6));
  CHECK(beside.confidence_95->high ==
        Approx(2.6 + 4.302653 * std::sqrt(0.2 / 2 * (1 / 4.0 + 1 / 5.0))));
  // Companions without spread tell nothing.
  CHECK(*estimate_mean({1, 2, 2, 3}, {7, 7, 7, 7}, 9.0).value == Approx(2));
}

}  // namespace faultline::statistics
