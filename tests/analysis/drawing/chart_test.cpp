// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/chart.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "analysis/drawing/chart_canvas.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::drawing {

using Catch::Contains;

namespace {

/// So many lines of so many points; `y` of line i at x is i + x.
Chart chart_of(ChartKind kind, std::size_t lines, std::size_t points) {
  Chart chart;
  chart.stem = "chart";
  chart.kind = kind;
  chart.x.name = "processes";
  chart.y.name = "control_messages";
  for (std::size_t i = 0; i < lines; ++i) {
    ChartLine& line = chart.lines.emplace_back();
    line.name = "line " + std::to_string(i);
    line.line_type = i + 1;
    for (std::size_t x = 1; x <= points; ++x) {
      ChartPoint& point = line.points.emplace_back();
      point.x = static_cast<double>(x);
      point.y = static_cast<double>(i + x);
      point.y_interval = statistics::Interval{*point.y - 1, *point.y + 1};
      if (kind == ChartKind::boxes) point.box = statistics::Boxplot{1, 2, 3, 4, 5, 6, 7};
    }
  }
  return chart;
}

Chart fitted(const Chart& chart) {
  std::vector<Chart> panels = {chart};
  fit_axes(panels);
  return panels.front();
}

Chart with_categories(Chart chart, const std::vector<std::string>& categories) {
  chart.x.categories = categories;
  return fitted(chart);
}

/// A line in a plane whose points all have the same label.
Chart plane_of(const std::vector<std::pair<double, double>>& places) {
  Chart chart;
  chart.stem = "plane";
  chart.kind = ChartKind::plane;
  chart.x.name = "control_messages";
  chart.x.range = statistics::Interval{0, 100};
  chart.y.name = "survived";
  chart.y.range = statistics::Interval{0, 1};
  ChartLine& line = chart.lines.emplace_back();
  for (const auto& [x, y] : places) {
    ChartPoint& point = line.points.emplace_back();
    point.x = x;
    point.y = y;
    point.of = "256";
  }
  return fitted(chart);
}

}  // namespace

TEST_CASE("axes follow the type of their metric") {
  const auto y_of = [](const std::string& metric) {
    Chart chart = chart_of(ChartKind::curves, 1, 3);
    chart.y.name = metric;
    for (ChartPoint& point : chart.lines[0].points) {
      *point.y /= 1000;
      point.y_interval.reset();
    }
    return fitted(chart).y;
  };
  CHECK(y_of("end_time_s").title == "end time [ms]");
  CHECK(y_of("end_time_s").factor == 1e3);
  CHECK(y_of("events_per_s").title == "events per s");
  CHECK(y_of("events_per_s").factor == 1.0);
  for (const char* metric : {"terminated", "survived", "interior_fraction_mean"}) {
    CAPTURE(metric);
    CHECK(y_of(metric).range->low == Approx(-0.02));
    CHECK(y_of(metric).range->high == Approx(1.03));
  }
  CHECK(y_of("control_messages").range->high < 0.1);
}

TEST_CASE("panels of one metric have the same axes") {
  std::vector<Chart> panels = {chart_of(ChartKind::curves, 1, 2),
                               chart_of(ChartKind::curves, 1, 3)};
  panels[1].lines[0].points[2].y = 500;
  fit_axes(panels);
  CHECK(panels[0].y.logarithmic);
  CHECK(panels[0].y.range->high > 500);
  CHECK(panels[0].y.range->high == panels[1].y.range->high);
  CHECK(panels[0].x.range->high == panels[1].x.range->high);
  CHECK(panels[0].x.tics == panels[1].x.tics);
}

TEST_CASE("lines stand side by side at categories, and where they are on a number's axis") {
  const Chart chart = chart_of(ChartKind::curves, 2, 3);
  Chart apart = chart;
  for (ChartPoint& point : apart.lines[1].points) {
    point.y = *point.y + 10;
    point.y_interval = statistics::Interval{*point.y - 1, *point.y + 1};
  }
  const std::string numbers = chart_script(fitted(apart));
  CHECK_THAT(numbers, Contains("using ($2):($4) with linespoints") && !Contains("($2) + ("));
  const std::string categories = chart_script(with_categories(chart, {"a", "b", "c"}));
  CHECK_THAT(categories, Contains("using (($2) + (-0.2)):($4)") &&
                             Contains("using (($2) + (0.2)):($4)") && !Contains("linespoints"));
  CHECK_THAT(categories, Contains("set xrange [0.4:3.6]"));
  const std::string boxes = chart_script(fitted(chart_of(ChartKind::boxes, 2, 3)));
  CHECK_THAT(boxes, Contains("using (($2) + (-0.2)):") && Contains("set xrange [0.4:3.6]") &&
                        Contains("($9):($8):(0.32"));
}

TEST_CASE("on a logarithmic axis boxes stand side by side, too, and are as wide as they look") {
  Chart chart = chart_of(ChartKind::boxes, 2, 3);
  for (ChartLine& line : chart.lines)
    for (ChartPoint& point : line.points) point.x = std::pow(100.0, point.x);
  const std::string script = chart_script(fitted(chart));
  // Lanes are 0.8 of two decades for two lines, and boxes 0.8 of a lane: 10^0.4, 10^0.32 -
  // 10^-0.32.
  CHECK_THAT(script, Contains("set logscale x") && Contains("using (($2)*0.39810717") &&
                         Contains("using (($2)*2.5118864") && Contains("*1.6106"));
}

TEST_CASE(
    "a line joins the medians of its boxes where that is wanted, and points where it is not") {
  Chart boxes = fitted(chart_of(ChartKind::boxes, 1, 3));
  CHECK_THAT(chart_script(boxes), Contains("using ($2):($7) with lines lt 1 dt 1 notitle"));
  boxes.joined = false;
  CHECK_THAT(chart_script(boxes), !Contains("with lines"));
  Chart curves = fitted(chart_of(ChartKind::curves, 1, 3));
  CHECK_THAT(chart_script(curves), Contains("with linespoints"));
  curves.joined = false;
  CHECK_THAT(chart_script(curves), !Contains("linespoints") && Contains("with points lt 1"));
}

TEST_CASE("a level is drawn across the plot, and the axis reaches it") {
  Chart chart = chart_of(ChartKind::curves, 1, 3);
  chart.level = 9.0;
  chart = fitted(chart);
  CHECK(chart.y.range->high > 9);
  CHECK_THAT(chart_script(chart), Contains("plot 9 with lines lt -1 notitle"));
}

TEST_CASE("panels stand side by side in one drawing, each with its own axes and numbers") {
  const Chart curves = fitted(chart_of(ChartKind::curves, 1, 3));
  const std::string script =
      panels_script("both", {curves, fitted(chart_of(ChartKind::boxes, 1, 3)), curves}, 2);
  CHECK_THAT(script, Contains("set output 'both.'") && Contains("set multiplot layout 2,2\n") &&
                         Contains("size 840,640") && Contains("unset multiplot\n"));
  std::size_t plots = 0;
  for (std::size_t at = script.find("\nplot "); at != std::string::npos;
       at = script.find("\nplot ", at + 1))
    ++plots;
  CHECK(plots == 3);
  CHECK_THAT(chart_script(curves), !Contains("multiplot") && Contains("size 480,320"));
  CHECK_THAT(script, Contains("set format '%h'\n"));
}

TEST_CASE("lines whose intervals meet stand side by side on the axis of a number, too") {
  // 0.0256 of an axis from 0.9 to 3.1.
  Chart chart = chart_of(ChartKind::curves, 2, 3);
  const std::string linear = chart_script(fitted(chart));
  for (const char* style : {"vectors heads", "linespoints lt 1 dt 1 title"})
    CHECK_THAT(linear, Contains("every ::0::2 using (($2) + (-0.0282") && Contains(style));
  CHECK_THAT(linear, Contains("every ::3::5 using (($2) + (0.0282"));
  CHECK_THAT(linear, !Contains("using ($2):($4)"));
  for (ChartLine& line : chart.lines)
    for (ChartPoint& point : line.points) point.x = std::pow(4.0, point.x);
  const std::string logarithmic = chart_script(fitted(chart));
  CHECK_THAT(logarithmic, Contains("using (($2)*0.959") && Contains("using (($2)*1.042"));
  // Equal values hide each other without an interval, too.
  for (ChartLine& line : chart.lines)
    for (ChartPoint& point : line.points) {
      point.y = 7;
      point.y_interval.reset();
    }
  CHECK_THAT(chart_script(fitted(chart)), Contains("using (($2)*0.959"));
}

TEST_CASE("an interval is one bar from its low to its high end, with caps of equal size") {
  const std::string curves = chart_script(fitted(chart_of(ChartKind::curves, 1, 3)));
  CHECK_THAT(curves, Contains("using ($2):($5):(0):(($6) - ($5)) with vectors heads size screen "
                              "0.00833,90 lt 1 notitle"));
  Chart broad = chart_of(ChartKind::curves, 1, 3);
  broad.panel = std::string(100, 'p');
  broad = fitted(broad);
  REQUIRE(canvas_of(broad).width == 800);
  CHECK_THAT(chart_script(broad), Contains("vectors heads size screen 0.00500,90"));
  Chart plane = plane_of({{20, 0.2}, {80, 0.8}});
  for (ChartPoint& point : plane.lines[0].points) {
    point.x_interval = statistics::Interval{point.x - 5, point.x + 5};
    point.y_interval = statistics::Interval{*point.y - 0.1, *point.y + 0.1};
  }
  const std::string both = chart_script(plane);
  CHECK_THAT(both, Contains("using ($5):($7):(($6) - ($5)):(0) with vectors heads") &&
                       Contains("using ($4):($8):(0):(($9) - ($8)) with vectors heads"));
  for (const std::string& script : {curves, both}) CHECK_THAT(script, !Contains("errorbars"));
}

TEST_CASE("the lower end of an interval stops at the end of a logarithmic axis") {
  Chart chart = chart_of(ChartKind::curves, 1, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    ChartPoint& point = chart.lines[0].points[i];
    point.y = std::pow(10.0, static_cast<double>(i));
    point.y_interval = statistics::Interval{-1, 2 * *point.y};
  }
  const Chart drawn = fitted(chart);
  REQUIRE(drawn.y.logarithmic);
  CHECK_THAT(chart_script(drawn), Contains("using ($2):(($5) > ") && Contains("):(0):((($6) > "));
}

TEST_CASE(
    "points that stand aside stay nearer to their number than to any other, and in the plot") {
  Chart chart = chart_of(ChartKind::curves, 8, 2);
  chart.lines[0].points[1].x = 1.01;
  for (ChartLine& line : chart.lines)
    for (ChartPoint& point : line.points) point.y = 1;
  const Chart drawn = fitted(chart);
  const std::string script = chart_script(drawn);
  const std::string begin = "using (($2) + (";
  std::size_t moved = 0;
  for (std::size_t at = script.find(begin); at != std::string::npos;
       at = script.find(begin, at + 1)) {
    const double aside = std::fabs(std::stod(script.substr(at + begin.size())));
    CHECK(aside < 0.005);
    CHECK(1 - aside > drawn.x.range->low);
    ++moved;
  }
  CHECK(moved == 16);  // points and intervals of eight lines
}

TEST_CASE("names along x stand upright only where they do not fit") {
  const Chart chart = chart_of(ChartKind::curves, 1, 3);
  const Chart few = with_categories(chart, {"four-counter", "venkatesan", "cda"});
  CHECK_FALSE(canvas_of(few).upright_names);
  CHECK_THAT(chart_script(few), !Contains("rotate"));
  const Chart many = with_categories(chart, {"four-counter, a 12345", "venkatesan, b 12345", "c"});
  CHECK(canvas_of(many).upright_names);
  CHECK(canvas_of(many).height > canvas_of(few).height);
  CHECK_THAT(chart_script(many), Contains("rotate by 90 right"));
}

TEST_CASE("a drawing is as broad as the longest name of its key needs") {
  Chart chart = fitted(chart_of(ChartKind::curves, 4, 3));
  CHECK(canvas_of(chart).width == Canvas().width);
  chart.lines[0].name = std::string(100, 'n');
  CHECK(canvas_of(chart).width > 700U);                    // of 100 letters
  CHECK(canvas_of(chart).height >= Canvas().height + 60);  // of four lines
  chart.lines[0].name = std::string(100000, 'n');
  CHECK(canvas_of(chart).width < 2000);
}

TEST_CASE("every name of a key is drawn, however long") {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) {
    WARN("gnuplot is not installed: nothing was drawn");
    return;
  }
  for (const std::size_t length : {20, 56, 80, 200}) {
    Chart chart = fitted(chart_of(ChartKind::curves, 3, 3));
    for (ChartLine& line : chart.lines) line.name += std::string(length, 'n');
    const TemporaryDirectory folder;
    (void)folder.write("chart.gnuplot", chart_script(chart));
    CHECK(draw(folder.path().string(), "chart.gnuplot", "svg") == ProgramEnd::good);
    std::ifstream file(folder.path() / "chart.svg");
    const std::string svg{std::istreambuf_iterator<char>(file), {}};
    for (const ChartLine& line : chart.lines) CHECK_THAT(svg, Contains(line.name));
  }
}

TEST_CASE("labels of points hide no point and no other label") {
  const auto labels = [](const std::vector<std::pair<double, double>>& places) {
    std::vector<std::string> corners;
    for (const PointLabel& label : labels_of(plane_of(places)))
      corners.push_back(std::string(label.below ? "below" : "above") +
                        (label.left ? " left" : " right"));
    return corners;
  };
  using Corners = std::vector<std::string>;
  CHECK(labels({{20, 0.2}, {80, 0.8}}) == Corners{"above right", "above right"});
  CHECK(labels({{50, 0.5}, {51, 0.5}}) == Corners{"above right", "below right"});
  // Another point is where the label would be.
  CHECK(labels({{50, 0.5}, {55, 0.54}}) == Corners{"above left", "above right"});
  // Below would be outside of the plot.
  CHECK(labels({{50, 0.0}, {50, 0.0}, {50, 0.0}}).size() == 2);
  CHECK(labels(std::vector(12, std::pair{50.0, 0.5})).size() == 4);
  CHECK(labels(std::vector(13, std::pair{50.0, 0.5})).empty());
}

TEST_CASE("labels of points and notes are texts, and stand in no code") {
  Chart chart = plane_of({{20, 0.2}, {80, 0.8}});
  for (ChartPoint& point : chart.lines[0].points) point.of = "`touch canary`";
  chart.notes = {"`touch canary` a", "b"};
  chart.panel = "`touch canary` p";
  const std::string script = chart_script(chart);
  const std::size_t end = script.find("\nEND_OF_TEXTS\n");
  REQUIRE(end != std::string::npos);
  CHECK_THAT(script.substr(0, end), Contains("\n:`touch canary` p") && Contains("canary` a\n:b\n"));
  CHECK_THAT(script.substr(end), !Contains("canary"));
}

}  // namespace faultline::drawing
