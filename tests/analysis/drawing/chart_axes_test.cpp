// SPDX-License-Identifier: Apache-2.0

// Ranges, units and scales of the axes of charts.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/drawing/chart.hpp"
#include "sim/json/json_value.hpp"

using namespace faultline;
using Catch::Contains;

namespace {

Chart fitted(const Chart& chart) {
  std::vector<Chart> panels = {chart};
  fit_axes(panels);
  return panels.front();
}

}  // namespace

TEST_CASE("an axis is logarithmic for more than a decade and for geometric progressions") {
  CHECK(wants_logarithm({1, 11}));
  CHECK(wants_logarithm({16, 32, 64}));
  CHECK(wants_logarithm({64, 16, 32, 32}));
  CHECK_FALSE(wants_logarithm({1, 10}));
  CHECK_FALSE(wants_logarithm({2, 4}));
  CHECK_FALSE(wants_logarithm({1, 2, 3}));
  CHECK_FALSE(wants_logarithm({0, 1, 100}));
  CHECK_FALSE(wants_logarithm({-1, 100}));
}

TEST_CASE("an interval that reaches 0 ends where a logarithmic axis does") {
  Chart chart;
  chart.stem = "c";
  chart.x.name = "processes";
  chart.y.name = "end_time_s";
  chart.lines = {{"a", 1, 1, {}}};
  for (const double x : {1.0, 2.0, 3.0}) {
    ChartPoint point;
    point.x = x;
    point.y = 1e-5 * x * x * x;
    point.y_interval = Interval{-1e-4, 1e-3};
    chart.lines[0].points.push_back(point);
  }
  chart = fitted(chart);
  CHECK_FALSE(chart.x.logarithmic);
  REQUIRE(chart.y.logarithmic);
  CHECK(chart.y.title == "end time [us]");
  CHECK(chart.y.factor == 1e6);
  CHECK(chart.y.range->low > 0);
  CHECK(chart.y.range->low <= 1);
  CHECK(chart.y.range->high >= 1000);
  CHECK_THAT(chart_script(chart), Contains("($5*1e+06) > " + shortest(chart.y.range->low)));
  CHECK(chart_rows(chart)[1] ==
        std::vector<std::string>{"a", "1", "0", "1e-05", "-1e-04", "0.001"});
}

TEST_CASE("the axis of a share is linear and has both ends") {
  Chart chart;
  chart.x.name = "processes";
  chart.y.name = "interior_fraction_mean";
  chart.lines = {{"a", 1, 1, {}}};
  for (const double x : {1.0, 2.0}) {
    ChartPoint point;
    point.x = x;
    point.y = x == 1.0 ? 0.001 : 0.9;
    chart.lines[0].points.push_back(point);
  }
  chart = fitted(chart);
  CHECK_FALSE(chart.y.logarithmic);
  CHECK(chart.y.range->low <= 0);
  CHECK(chart.y.range->high >= 1);
}
