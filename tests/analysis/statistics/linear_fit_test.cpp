// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/linear_fit.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/core/random.hpp"

namespace faultline::statistics {

namespace {

/// One value at each x.
std::vector<SampleAt> points(const std::vector<std::pair<double, double>>& pairs) {
  std::vector<SampleAt> samples;
  samples.reserve(pairs.size());
  for (const auto& [x, y] : pairs) samples.push_back({x, {y}});
  return samples;
}

/// A draw from the standard normal law, by Box and Muller.
double normal(Stream& stream) {
  const double radius = std::sqrt(-2 * std::log1p(-stream.uniform()));
  return radius * std::cos(2 * std::numbers::pi * stream.uniform());
}

bool covers(const std::optional<Interval>& interval, double value) {
  return interval && interval->low <= value && value <= interval->high;
}

void check_interval(const std::optional<Interval>& interval, double low, double high) {
  REQUIRE(interval);
  CHECK(interval->low == Approx(low).epsilon(1e-9));
  CHECK(interval->high == Approx(high).epsilon(1e-9));
}

}  // namespace

TEST_CASE("a line through four means is that of the sums by hand") {
  // Means 1, 3, 2, 4 at 1, 2, 3, 4. About the means of both: xx = yy = 5, xy = 4, so the slope is
  // 0.8; the residuals -0.3, 0.9, -0.9, 0.3 have squares of 1.8, which is 0.36 of yy. Variance
  // 1.8 / 2; t of 2 degrees is 4.302653 (95 %) and 9.924843 (99 %).
  const LinearFit fit = fit_line({{1, {0, 2}}, {2, {3}}, {3, {1, 2, 3}}, {4, {4, 4}}});
  CHECK(*fit.slope.value == Approx(0.8));
  CHECK(*fit.intercept.value == Approx(0.5));
  CHECK(*fit.r_squared.value == Approx(0.64));
  const double of_slope = std::sqrt(0.9 / 5);
  CHECK(fit.slope.confidence_95->low == Approx(0.8 - 4.302653 * of_slope));
  CHECK(fit.slope.confidence_99->high == Approx(0.8 + 9.924843 * of_slope));
  const double of_intercept = std::sqrt(0.9 * (1.0 / 4 + 2.5 * 2.5 / 5));
  CHECK(fit.intercept.confidence_95->high == Approx(0.5 + 4.302653 * of_intercept));
  CHECK(fit.intercept.confidence_99->low == Approx(0.5 - 9.924843 * of_intercept));
  // The correlation is 0.8, whose Fisher z is ln 3, with standard error 1: it may be 0.
  CHECK(fit.r_squared.confidence_95->low == 0.0);
  CHECK(fit.r_squared.confidence_95->high ==
        Approx(std::pow(std::tanh(std::log(3.0) + 1.959964), 2)));
}

TEST_CASE("the certified values of NIST's Norris data are met") {
  // NIST StRD, linear regression, Norris: 36 calibrations of an ozone monitor, in the order of the
  // file. Intervals: R 4, confint(lm) and cor.test.
  const LinearFit fit = fit_line(
      points({{0.2, 0.1},     {337.4, 338.8}, {118.2, 118.1}, {884.6, 888.0}, {10.1, 9.2},
              {226.5, 228.1}, {666.3, 668.5}, {996.3, 998.5}, {448.6, 449.1}, {777.0, 778.9},
              {558.2, 559.2}, {0.4, 0.3},     {0.6, 0.1},     {775.5, 778.1}, {666.9, 668.8},
              {338.0, 339.3}, {447.5, 448.9}, {11.6, 10.8},   {556.0, 557.7}, {228.1, 228.3},
              {995.8, 998.0}, {887.6, 888.8}, {120.2, 119.6}, {0.3, 0.3},     {0.3, 0.6},
              {556.8, 557.6}, {339.1, 339.3}, {887.2, 888.0}, {999.0, 998.5}, {779.0, 778.9},
              {11.1, 10.2},   {118.3, 117.6}, {229.2, 228.9}, {669.1, 668.4}, {448.9, 449.2},
              {0.5, 0.2}}));
  CHECK(*fit.slope.value == Approx(1.00211681802045).epsilon(1e-13));
  CHECK(*fit.intercept.value == Approx(-0.262323073774029).epsilon(1e-11));
  CHECK(*fit.r_squared.value == Approx(0.999993745883712).epsilon(1e-14));
  check_interval(fit.slope.confidence_95, 1.001243365735578, 1.00299027030533);
  check_interval(fit.slope.confidence_99, 1.000944162720841, 1.003289473320068);
  check_interval(fit.intercept.confidence_95, -0.735466652101684, 0.21082050455345);
  check_interval(fit.r_squared.confidence_95, 0.999987625861802, 0.999996839059761);
}

TEST_CASE("the first of Anscombe's data sets has the intervals that R gives") {
  // Anscombe 1973; R 4: confint(lm(y1 ~ x1, anscombe)), cor.test squared.
  const LinearFit fit = fit_line(points({{10, 8.04},
                                         {8, 6.95},
                                         {13, 7.58},
                                         {9, 8.81},
                                         {11, 8.33},
                                         {14, 9.96},
                                         {6, 7.24},
                                         {4, 4.26},
                                         {12, 10.84},
                                         {7, 4.82},
                                         {5, 5.68}}));
  CHECK(*fit.slope.value == Approx(0.500090909090909).epsilon(1e-12));
  CHECK(*fit.intercept.value == Approx(3.000090909090909).epsilon(1e-12));
  CHECK(*fit.r_squared.value == Approx(0.666542459508775).epsilon(1e-12));
  check_interval(fit.slope.confidence_95, 0.233370136385187, 0.766811681796631);
  check_interval(fit.slope.confidence_99, 0.116917422706006, 0.883264395475812);
  check_interval(fit.intercept.confidence_99, -0.655151186970706, 6.655333005152524);
  check_interval(fit.r_squared.confidence_95, 0.180107902005367, 0.903817662795278);
  check_interval(fit.r_squared.confidence_99, 0.053382397514071, 0.936677100871599);
}

TEST_CASE("a line far from zero loses no digits") {
  // The four means of above. Sums of squares that are not centred would be off by hundreds here.
  const double far = 1e9;
  const LinearFit fit = fit_line(
      points({{far + 1, far + 1}, {far + 2, far + 3}, {far + 3, far + 2}, {far + 4, far + 4}}));
  CHECK(*fit.slope.value == Approx(0.8).epsilon(1e-12));
  CHECK(*fit.r_squared.value == Approx(0.64).epsilon(1e-12));
  CHECK(fit.slope.confidence_95->high == Approx(0.8 + 4.302653 * std::sqrt(0.9 / 5)));
}

TEST_CASE("too few different x leave out the intervals, R squared or the line") {
  const LinearFit one = fit_line({{2, {1, 2, 3}}, {2, {4}}, {2, {5}}});
  for (const Estimate& estimate : {one.slope, one.intercept, one.r_squared}) {
    CHECK_FALSE(estimate.value);
    CHECK(estimate.trouble == "a line needs two different x");
  }
  CHECK_FALSE(fit_line({}).slope.value);
  const LinearFit two = fit_line(points({{1, 1}, {3, 4}, {3, 6}}));
  CHECK(*two.slope.value == Approx(2));
  CHECK(*two.intercept.value == Approx(-1));
  CHECK_FALSE(two.slope.confidence_95);
  CHECK_FALSE(two.intercept.confidence_99);
  CHECK_FALSE(two.r_squared.value);
  CHECK(two.r_squared.trouble == "R^2 needs three different x");
  const LinearFit three = fit_line(points({{1, 1}, {2, 3}, {3, 2}}));
  CHECK(three.slope.confidence_95);
  CHECK(*three.r_squared.value == Approx(0.25));
  CHECK_FALSE(three.r_squared.confidence_95);
}

TEST_CASE("an exact line has intervals without width, and level means have no R squared") {
  const LinearFit exact = fit_line(points({{1, 3}, {2, 5}, {3, 7}, {4, 9}}));
  CHECK(*exact.slope.value == 2);
  CHECK(exact.slope.confidence_99->low == 2);
  CHECK(exact.intercept.confidence_99->high == 1);
  CHECK(*exact.r_squared.value == 1);
  CHECK(exact.r_squared.confidence_95->low == 1);
  CHECK(exact.r_squared.confidence_99->high == 1);
  const LinearFit level = fit_line(points({{1, 0.1}, {2, 0.1}, {3, 0.1}, {4, 0.1}}));
  CHECK(*level.slope.value == 0);
  CHECK(level.slope.confidence_95->high == 0);
  CHECK_FALSE(level.r_squared.value);
  CHECK(level.r_squared.trouble == "all means are equal, so there is no R^2");
}

TEST_CASE("more replications do not make a curve a straighter line") {
  std::vector<SampleAt> once;
  std::vector<SampleAt> often;
  for (const double x : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    once.push_back({x, {x * x}});
    often.push_back({x, std::vector<double>(100, x * x)});
  }
  const Interval narrow = *fit_line(often).slope.confidence_95;
  CHECK(narrow.high - narrow.low > 1);
  CHECK(narrow.high == Approx(fit_line(once).slope.confidence_95->high));
}

TEST_CASE("what no line can be computed from is refused, or has no value") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(fit_line({{1, {}}, {2, {1}}}), std::invalid_argument);
  CHECK_THROWS_AS(fit_line(points({{infinity, 1}, {2, 1}})), std::invalid_argument);
  CHECK_THROWS_AS(fit_line(points({{1, std::nan("")}, {2, 1}})), std::invalid_argument);
  for (const double size : {1e200, 1e-200}) {
    const LinearFit fit = fit_line(points({{size, 1}, {2 * size, 2}, {3 * size, 3}}));
    CHECK_FALSE(fit.slope.value);
    CHECK(fit.slope.trouble == "the numbers are too large or too close for a line");
  }
}

TEST_CASE("the intervals of a line hold as often as they promise") {
  constexpr int kFits = 2000;
  constexpr double kSlope = 1.5;
  constexpr double kIntercept = -4;
  // Means of three values with standard deviation 2 have variance 4/3; the line's is 35/12 of the
  // squared slope, for x from 1 to 6.
  constexpr double kOfLine = kSlope * kSlope * 35 / 12;
  constexpr double kRSquared = kOfLine / (kOfLine + 4.0 / 3);
  int slope_95 = 0;
  int slope_99 = 0;
  int intercept_95 = 0;
  int r_squared_95 = 0;
  for (int i = 0; i < kFits; ++i) {
    Stream stream(1921, static_cast<std::uint64_t>(i), Purpose::workload, 0);
    std::vector<SampleAt> samples;
    for (int x = 1; x <= 6; ++x) {
      SampleAt& sample = samples.emplace_back();
      sample.x = x;
      for (int r = 0; r < 3; ++r)
        sample.values.push_back(kIntercept + kSlope * x + 2 * normal(stream));
    }
    const LinearFit fit = fit_line(samples);
    slope_95 += covers(fit.slope.confidence_95, kSlope) ? 1 : 0;
    slope_99 += covers(fit.slope.confidence_99, kSlope) ? 1 : 0;
    intercept_95 += covers(fit.intercept.confidence_95, kIntercept) ? 1 : 0;
    r_squared_95 += covers(fit.r_squared.confidence_95, kRSquared) ? 1 : 0;
  }
  // Four standard errors of a share of 2,000.
  CHECK(slope_95 / double{kFits} == Approx(0.95).margin(0.0195));
  CHECK(slope_99 / double{kFits} == Approx(0.99).margin(0.009));
  CHECK(intercept_95 / double{kFits} == Approx(0.95).margin(0.0195));
  // Too wide for x that is chosen, but not by much: about 0.96.
  CHECK(r_squared_95 / double{kFits} > 0.945);
  CHECK(r_squared_95 / double{kFits} < 0.985);
}

}  // namespace faultline::statistics
