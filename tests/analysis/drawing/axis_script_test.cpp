// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/axis_script.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace faultline::drawing {

using Catch::Contains;

namespace {

ChartAxis axis_from(double low, double high, bool logarithmic) {
  ChartAxis axis;
  axis.logarithmic = logarithmic;
  axis.range = statistics::Interval{low, high};
  return axis;
}

ChartAxis with_tics(const Tics& tics) {
  ChartAxis axis = axis_from(tics.front().second, tics.back().second, true);
  axis.tics = tics;
  return axis;
}

}  // namespace

TEST_CASE("numbers at a logarithmic axis are all plain, or all powers of ten") {
  const auto format_of = [](double low, double high, bool between) {
    return number_format(axis_from(low, high, true), between);
  };
  // gnuplot's %h is plain from 0.0001 to 999999.
  CHECK(format_of(0.01, 20, true) == "%h");
  CHECK(format_of(300, 900000, false) == "%h");
  CHECK(format_of(2000, 5e6, false) == "%.0f");
  CHECK(format_of(2e4, 5e8, false) == "10^{%T}");
  CHECK(format_of(0.5, 2e6, false) == "10^{%T}");
  CHECK(format_of(1e-6, 1e-2, false) == "10^{%T}");
  CHECK(format_of(2e7, 5e8, true) == "%.0t\u00d710^{%T}");
  CHECK(format_of(2e-6, 5e-5, true) == "%.0t\u00d710^{%T}");
}

TEST_CASE("large numbers at a linear axis are whole") {
  CHECK(number_format(axis_from(0, 4000, false), false) == "%h");
  CHECK(number_format(axis_from(0, 2.5e6, false), false) == "%.0f");
}

TEST_CASE("the format of an axis stands in its script, and tics of its own need none") {
  CHECK_THAT(axis_script("y", axis_from(2e7, 5e8, true), 480),
             Contains("set logscale y\n") && Contains("set format y '%.0t\u00d710^{%T}'\n") &&
                 Contains("ytics add"));
  CHECK_THAT(axis_script("x", with_tics({{"1", 1}, {"10", 10}}), 480),
             Contains("set xtics ('1' 1, '10' 10)\n") && !Contains("format"));
  CHECK(axis_script("x", ChartAxis{}, 480).empty());
}

TEST_CASE("labels that fit side by side in a wide chart are slanted in a narrow one") {
  Tics tics;
  for (int i = 6; i <= 10; ++i) tics.emplace_back(std::to_string(1 << i), 1 << i);
  CHECK_THAT(axis_script("x", with_tics(tics), 480), !Contains("rotate"));
  CHECK_THAT(axis_script("x", with_tics(tics), 200), Contains("rotate by 35 right"));
}

TEST_CASE("the marks of a power take no room") {
  const Tics plain = {{"123", 1}, {"456", 10}, {"789", 100}};
  const Tics powers = {{"10^{2}", 1}, {"10^{3}", 10}, {"10^{4}", 100}};
  CHECK_THAT(axis_script("x", with_tics(plain), 160), !Contains("rotate"));
  CHECK_THAT(axis_script("x", with_tics(powers), 160), !Contains("rotate"));
}

}  // namespace faultline::drawing
