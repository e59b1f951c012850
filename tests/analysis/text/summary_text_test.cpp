// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/summary_text.hpp"

#include <catch2/catch.hpp>

namespace faultline::text {

namespace {

statistics::Summary of(double mean, double half_width) {
  statistics::Summary summary;
  summary.count = 10;
  summary.mean = mean;
  summary.confidence_95 = statistics::Interval{mean - half_width, mean + half_width};
  return summary;
}

}  // namespace

TEST_CASE("a mean has as many decimals as two digits of its interval") {
  CHECK(with_interval(of(2046.9, 0.25)) == "2046.90 +- 0.25");
  CHECK(with_interval(of(0.0020469, 0.00025), 1e3) == "2.05 +- 0.25");
  CHECK(with_interval(of(1e9, 2)) == "1000000000.0 +- 2.0");
  CHECK(with_interval(of(7, 0)) == "7");
  CHECK(with_interval(statistics::Summary{}) == "-");
}

TEST_CASE("an interval of rounding errors is none") {
  CHECK(with_interval(of(1e5, 1e-9)) == "100000");
  CHECK(with_interval(of(0.3, 1e-11)) == "0.3");
  CHECK(with_interval(of(2e-17, 3e-17), 1.0, 1.0) == "0");
  CHECK(with_interval(of(0.25, 1e-13), 1.0, 1e3) == "0.25");
}

TEST_CASE(
    "an interval that is small beside its column, but no rounding error, is not printed as 0") {
  CHECK(with_interval(of(3e-6, 2.5e-11)) == "3.000000e-06 +- 2.5e-11");
  CHECK(with_interval(of(2e-17, 3.5e-17)) == "2.0e-17 +- 3.5e-17");
}

TEST_CASE("a mean over runs that were cut off is never plain") {
  statistics::Summary summary;
  summary.count = 10;
  summary.mean = 1.2;
  summary.bound = statistics::MeanBound::at_least;
  CHECK(with_interval(summary, 1e3) == ">= 1200");
  summary.bound = statistics::MeanBound::unknown;
  CHECK(with_interval(summary) == "1.2 (cut off)");
}

}  // namespace faultline::text
