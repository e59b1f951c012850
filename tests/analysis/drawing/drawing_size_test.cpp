// SPDX-License-Identifier: Apache-2.0

// The size of drawings and of the text in them, on screens and on paper.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/gnuplot.hpp"

namespace faultline::drawing {

using Catch::Contains;

namespace {

Chart chart_with_title(const std::string& title) {
  Chart chart;
  chart.stem = "c";
  chart.x.name = "processes";
  chart.x.title = title;
  chart.y.name = "control_messages";
  ChartLine& line = chart.lines.emplace_back();
  for (const double x : {1.0, 2.0, 4.0}) {
    ChartPoint& point = line.points.emplace_back();
    point.x = x;
    point.y = x;
  }
  std::vector<Chart> panels = {chart};
  fit_axes(panels);
  return panels.front();
}

/// The number that follows these words in a script.
double number_after(const std::string& script, const std::string& words) {
  const std::size_t at = script.find(words);
  return at == std::string::npos ? 0.0 : std::stod(script.substr(at + words.size()));
}

}  // namespace

TEST_CASE("a drawing for paper has the stated width in every format") {
  const std::string script = chart_script(chart_with_title("processes"), 8.5);
  // 8.5 cm are 321 pixels of a screen, 1004 at 300 to an inch, and 241 points: 241 / 72 inches.
  CHECK_THAT(script, Contains("set terminal svg enhanced size 321,") &&
                         Contains("set terminal pdfcairo enhanced size 3.3474in,") &&
                         Contains("set terminal pngcairo enhanced size 1004,"));
}

TEST_CASE("text on paper has eight points, and is smaller only where it needs more room") {
  constexpr double kPixelsOfPoint = 96.0 / 72;
  const std::string usual = chart_script(chart_with_title("processes"), 8.5);
  CHECK(number_after(usual, "font 'sans,") == Approx(8 * kPixelsOfPoint).epsilon(0.01));
  const std::string wide = chart_script(chart_with_title("processes"), 17);
  CHECK(number_after(wide, "font 'sans,") == Approx(8 * kPixelsOfPoint).epsilon(0.01));
  const std::string crowded = chart_script(chart_with_title(std::string(100, 'x')), 8.5);
  CHECK(number_after(crowded, "font 'sans,") < 5 * kPixelsOfPoint);
  CHECK(number_after(crowded, "svg enhanced size ") == 321);
}

TEST_CASE("panels for paper share its width") {
  const Chart chart = chart_with_title("processes");
  const std::string script = panels_script("c", {chart, chart}, 2, 17.0);
  CHECK(number_after(script, "svg enhanced size ") == 643);
  CHECK(number_after(script, "font 'sans,") == Approx(8 * 96.0 / 72).epsilon(0.01));
}

TEST_CASE("without a stated width a drawing is as large as on a screen") {
  const std::string script = chart_script(chart_with_title("processes"));
  CHECK_THAT(script, Contains("svg enhanced size 480,320") && Contains("font 'sans,13'") &&
                         Contains("pdfcairo enhanced size 5.0001in,3.3335in") &&
                         Contains("pngcairo enhanced size 1500,1000"));
}

TEST_CASE("all texts of a drawing keep their proportions") {
  CHECK(font_size(13, {480, 320, 1.0}) == "13");
  CHECK(font_size(12, {480, 320, 0.5}) == "6");
  CHECK(font_size(13, {480, 320, 0.5}) == "6.50");
}

}  // namespace faultline::drawing
