// SPDX-License-Identifier: Apache-2.0

// Ranges, units and scales of the axes of charts.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/drawing/chart.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::drawing {

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
    point.y_interval = statistics::Interval{-1e-4, 1e-3};
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
  CHECK_THAT(chart_script(chart), Contains("($5*1e+06) > " + json::shortest(chart.y.range->low)));
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

namespace {

/// The x axis of a line with points at these places, and a y of each.
Chart with_points(const std::vector<std::pair<double, double>>& places) {
  Chart chart;
  chart.stem = "c";
  chart.x.name = "processes";
  chart.y.name = "control_messages";
  ChartLine& line = chart.lines.emplace_back();
  for (const auto& [x, y] : places) {
    ChartPoint& point = line.points.emplace_back();
    point.x = x;
    point.y = y;
  }
  return fitted(chart);
}

}  // namespace

TEST_CASE("a few values along x have a tic each, with its exact number where there is room") {
  CHECK(with_points({{64, 1}, {1024, 1}, {1048576, 1}}).x.tics ==
        Tics{{"64", 64}, {"1024", 1024}, {"1048576", 1048576}});
  CHECK(with_points({{100, 1}, {101, 1}, {102, 1}, {400, 1}}).x.tics ==
        Tics{{"100", 100}, {"", 101}, {"", 102}, {"400", 400}});
  std::vector<std::pair<double, double>> many;
  many.reserve(9);
  for (int i = 0; i < 9; ++i) many.emplace_back(i, 1);
  CHECK(with_points(many).x.tics.empty());
}

TEST_CASE("labels of numbers along x have one style") {
  CHECK(with_points({{1e-5, 1}, {1e-4, 1}, {1e-3, 1}}).x.tics ==
        Tics{{"10^{-5}", 1e-5}, {"10^{-4}", 1e-4}, {"10^{-3}", 1e-3}});
  CHECK(with_points({{2e-5, 1}, {2e-4, 1}, {2e-3, 1}}).x.tics ==
        Tics{{"2\u00d710^{-5}", 2e-5}, {"2\u00d710^{-4}", 2e-4}, {"2\u00d710^{-3}", 2e-3}});
  CHECK(with_points({{0.001, 1}, {0.01, 1}, {0.1, 1}, {1, 1}, {1000000, 1}}).x.tics ==
        Tics{{"0.001", 0.001}, {"0.01", 0.01}, {"0.1", 0.1}, {"1", 1}, {"1000000", 1000000}});
}

TEST_CASE("labels at tics are slanted only where they would run into each other") {
  const auto script_of = [](const std::vector<double>& places) {
    std::vector<std::pair<double, double>> points;
    points.reserve(places.size());
    for (const double at : places) points.emplace_back(at, 1);
    return chart_script(with_points(points));
  };
  CHECK_THAT(script_of({64, 256, 1024, 4096, 16384}), !Contains("rotate"));
  CHECK_THAT(script_of({32, 128, 512, 1024, 2048, 4096, 8192, 16384}),
             Contains("set xtics rotate by 35 right ("));
  CHECK_THAT(script_of({262144, 1048576}), !Contains("rotate") && Contains("'1048576' 1048576"));
}

TEST_CASE("a logarithmic axis of y has tics between powers of ten where these are few") {
  const auto script_of = [](double high) {
    return chart_script(with_points({{1, 50}, {2, high}}));
  };
  CHECK_THAT(script_of(600),
             Contains("logscale y") && Contains("ytics add (2*10.0**i, 5*10.0**i)"));
  CHECK_THAT(script_of(6e6), Contains("logscale y") && !Contains("ytics add"));
  CHECK_THAT(script_of(60), !Contains("logscale y") && !Contains("ytics add"));
}

TEST_CASE("an axis begins at 0 unless it may follow values that are far from it") {
  Chart chart = with_points({{1, 100}, {2, 110}});
  CHECK(chart.y.range->low == 0);
  chart.y = {};
  chart.y.from_zero = false;
  CHECK(fitted(chart).y.range->low == Approx(99.5));
  chart.lines[0].points[0].y = 40;
  chart.y = {};
  chart.y.from_zero = false;
  CHECK(fitted(chart).y.range->low == 0);
  chart.lines[0].points[0].y = 1;
  chart.y = {};
  chart.y.scale = AxisScale::linear;
  CHECK_FALSE(fitted(chart).y.logarithmic);
  chart.lines[0].points[0].y = 100;
  chart.y = {};
  CHECK_FALSE(fitted(chart).y.logarithmic);
  chart.y = {};
  chart.y.scale = AxisScale::logarithmic;
  CHECK(fitted(chart).y.logarithmic);
}

}  // namespace faultline::drawing
