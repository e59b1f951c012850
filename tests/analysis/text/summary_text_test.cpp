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

TEST_CASE("a mean has as many decimals as two digits of its interval, and at most five digits") {
  CHECK(with_interval(of(246.9, 0.25)) == "246.90 +- 0.25");
  CHECK(with_interval(of(2046.9, 0.25)) == "2046.9 +- 0.2");
  CHECK(with_interval(of(20469.4, 0.25)) == "20469");
  CHECK(with_interval(of(20469.4, 25)) == "20469 +- 25");
  CHECK(with_interval(of(1234567, 12)) == "1234567 +- 12");
  CHECK(with_interval(of(1.00010734, 5.9e-7)) == "1.0001");
  CHECK(with_interval(of(1.00010734, 5.9e-5)) == "1.0001 +- 0.0001");
  CHECK(with_interval(of(0.00002384, 9.3e-7)) == "0.00002384 +- 0.00000093");
  CHECK(with_interval(of(0.0020469, 0.00025), 1e3) == "2.05 +- 0.25");
  CHECK(with_interval(of(1e9, 2)) == "1000000000 +- 2");
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
  CHECK(with_interval(of(3e-6, 2.5e-10)) == "3.0000e-06 +- 2.5e-10");
  CHECK(with_interval(of(2e-17, 3.5e-17)) == "2.0e-17 +- 3.5e-17");
}

TEST_CASE("a share keeps its interval, however near to 1 it is") {
  statistics::Summary share = of(1.0, 0.0);
  share.is_share = true;
  share.confidence_95 = statistics::Interval{0.99996311, 1.0};
  CHECK(with_interval(share) == "1.00000 [0.99996, 1.00000]");
  share.confidence_95 = statistics::Interval{0.964, 1.0};
  CHECK(with_interval(share) == "1.000 [0.964, 1.000]");
}

TEST_CASE("words of a column's title share a line where that makes it no wider") {
  CHECK(column_title("detection_messages_per_node_per_s", {"", 1}) ==
        "detection\nmessages\nper node\nper s");
  CHECK(column_title("detection_latency_s", {"us", 1e6}) == "detection\nlatency, us");
  CHECK(column_title("end_time_s", {"s", 1}) == "end\ntime, s");
  CHECK(column_title("completed", {"", 1}) == "completed");
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
