// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/summary.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace faultline::statistics {

TEST_CASE("the summary of a small sample is the one of the textbook") {
  const Summary summary = summarize({2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(summary.count == 8);
  CHECK(*summary.mean == 5.0);
  CHECK(*summary.standard_deviation == Approx(std::sqrt(32.0 / 7.0)).epsilon(1e-15));
  CHECK(*summary.min == 2.0);
  CHECK(*summary.max == 9.0);
  // t(0.975; 7) = 2.364624251592785
  const double half_width = 2.364624251592785 * std::sqrt(32.0 / 7.0 / 8.0);
  CHECK(summary.confidence_95->low == Approx(5.0 - half_width).epsilon(1e-13));
  CHECK(summary.confidence_95->high == Approx(5.0 + half_width).epsilon(1e-13));
}

TEST_CASE("a bound has one word in all files, and an exact mean none") {
  CHECK(bound_word(MeanBound::exact) == std::string());
  CHECK(bound_word(MeanBound::at_least) == std::string("at-least"));
  CHECK(bound_word(MeanBound::unknown) == std::string("unknown"));
}

TEST_CASE("Student's t quantiles agree with their closed forms and printed tables") {
  const double pi = std::acos(-1.0);
  CHECK(student_t_95(2) == Approx(std::tan(0.475 * pi)).epsilon(1e-12));
  CHECK(student_t_95(3) == Approx(0.95 * std::sqrt(2.0 / (4 * 0.975 * 0.025))).epsilon(1e-12));
  CHECK(student_t_95(10) == Approx(2.262157162798205).epsilon(1e-12));
  CHECK(student_t_95(31) == Approx(2.042272456301238).epsilon(1e-12));
  CHECK(student_t_95(100'000'001) == Approx(1.959963984540054).epsilon(1e-7));
  CHECK_THROWS_AS(student_t_95(1), std::invalid_argument);
  const double outside = 0.002699796063260189;  // of three standard deviations
  CHECK(student_t_three_sigma(2) == Approx(1 / std::tan(outside / 2 * pi)).epsilon(1e-10));
  CHECK(student_t_three_sigma(3) ==
        Approx((1 - outside) * std::sqrt(2 / (outside * (2 - outside)))).epsilon(1e-10));
  CHECK(student_t_three_sigma(100'000'001) == Approx(3.0).epsilon(1e-7));
}

TEST_CASE("a boxplot has the quartiles of the textbook and Tukey's whiskers") {
  // Sorted: -30 4 6 7 8 9 10 12 13 16 23. The quartiles of 11 values lie half way between the 3rd
  // and 4th, at the 6th, and between the 8th and 9th; 1.5 times their distance reaches to -2.5
  // and 21.5.
  const Boxplot box = boxplot({16, 23, 4, 9, 10, 12, 13, 6, 7, 8, -30});
  CHECK(box.min == -30);
  CHECK(box.whisker_low == 4);
  CHECK(box.quartile_1 == 6.5);
  CHECK(box.median == 9);
  CHECK(box.quartile_3 == 12.5);
  CHECK(box.whisker_high == 16);
  CHECK(box.max == 23);
  const Boxplot between = boxplot({1, 2, 3, 4});
  CHECK(between.quartile_1 == 1.75);
  CHECK(between.median == 2.5);
  CHECK(between.quartile_3 == 3.25);
  const Boxplot apart = boxplot({0, 100, 100, 100, 100});
  CHECK(apart.quartile_1 == 100);
  CHECK(apart.whisker_low == 100);
  CHECK(apart.min == 0);
  CHECK(boxplot({5}).whisker_low == 5);
  CHECK(boxplot({5}).whisker_high == 5);
  CHECK_THROWS_AS(boxplot({}), std::invalid_argument);
}

TEST_CASE("statistics that a sample is too small for are absent") {
  const Summary none = summarize({});
  CHECK(none.count == 0);
  CHECK_FALSE((none.mean || none.min || none.max || none.standard_deviation || none.confidence_95));
  const Summary one = summarize({3.5});
  CHECK(one.count == 1);
  CHECK(*one.mean == 3.5);
  CHECK(*one.min == 3.5);
  CHECK(*one.max == 3.5);
  CHECK_FALSE((one.standard_deviation || one.confidence_95));
}

TEST_CASE("equal values have no spread at all") {
  const Summary summary = summarize(std::vector<double>(30, 0.1));
  CHECK(*summary.mean == 0.1);
  CHECK(*summary.standard_deviation == 0.0);
  CHECK(summary.confidence_95->low == 0.1);
  CHECK(summary.confidence_95->high == 0.1);
}

TEST_CASE("a large mean does not swallow the spread (NIST StRD NumAcc1, NumAcc3, NumAcc4)") {
  const Summary first = summarize({10000001, 10000003, 10000002});
  CHECK(*first.mean == 10000002.0);
  CHECK(*first.standard_deviation == 1.0);
  for (const double offset : {1'000'000.0, 10'000'000.0}) {
    std::vector<double> values = {offset + 0.2};
    for (int i = 0; i < 500; ++i) {
      values.push_back(offset + 0.1);
      values.push_back(offset + 0.3);
    }
    const Summary summary = summarize(values);
    INFO("offset " << offset);
    CHECK(*summary.mean == Approx(offset + 0.2).epsilon(1e-15));
    CHECK(*summary.standard_deviation == Approx(0.1).epsilon(2e-8));
  }
}

TEST_CASE("shifting and scaling a sample shifts and scales its summary") {
  const std::vector<double> values = {0.25, -3.5, 8.0, 1.125, 2.0};
  std::vector<double> moved;
  moved.reserve(values.size());
  for (const double value : values) moved.push_back(4.0 * value - 16.0);
  const Summary before = summarize(values);
  const Summary after = summarize(moved);
  CHECK(*after.mean == Approx(4.0 * *before.mean - 16.0).epsilon(1e-14));
  CHECK(*after.standard_deviation == Approx(4.0 * *before.standard_deviation).epsilon(1e-14));
  CHECK(after.confidence_95->low == Approx(4.0 * before.confidence_95->low - 16.0).epsilon(1e-14));
  CHECK(*after.min == 4.0 * *before.min - 16.0);
  CHECK(*after.max == 4.0 * *before.max - 16.0);
}

TEST_CASE("a value that is not a number is refused instead of poisoning the mean") {
  CHECK_THROWS_AS(summarize({1.0, std::nan("")}), std::invalid_argument);
  CHECK_THROWS_AS(summarize({1.0, std::numeric_limits<double>::infinity()}), std::invalid_argument);
}

}  // namespace faultline::statistics
