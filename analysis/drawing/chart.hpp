#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/drawing/html_page.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline {

/// One place of a line. Without a value there is nothing to draw, but the table says so.
struct ChartPoint {
  double x = 0.0;
  std::optional<double> y;
  std::optional<Interval> x_interval;
  std::optional<Interval> y_interval;
  std::optional<Boxplot> box;
  std::vector<double> outliers;  ///< different values beyond the whiskers of the box
  std::size_t runs = 0;          ///< that have a value
  std::string of;                ///< in a plane: what tells it from the others of its line
};

struct ChartLine {
  std::string name;
  std::size_t line_type = 1;  ///< of analysis/drawing/gnuplot: colour and point
  std::size_t dash = 1;       ///< 1 is solid
  std::vector<ChartPoint> points;
};

/// An axis. Points keep their own unit; `factor` leads to the one that is drawn.
struct ChartAxis {
  std::string name;   ///< of the column in the CSV: "detection_latency_s"
  std::string title;  ///< of the axis: "detection latency [us]"
  double factor = 1.0;
  bool logarithmic = false;
  std::optional<Interval> range;                     ///< as drawn; gnuplot's choice without one
  std::vector<std::pair<std::string, double>> tics;  ///< as drawn; gnuplot's choice for none
  bool names_lines = false;  ///< of x: no numbers, each line has a place of its own
  double gap = 1.0;          ///< of x: the least distance of two places as drawn, of logarithms too
  std::vector<std::string> categories;  ///< of x: what stands at 1, 2, ...; none for numbers
};

/// `curves`: means with intervals over x. `boxes`: boxplots over x. `plane`: points with intervals
/// in both directions, joined where they have an order.
enum class ChartKind { curves, boxes, plane };

struct Chart {
  std::string stem;  ///< of its files
  std::string title;
  std::string panel;  ///< what its lines have in common, as drawn above them; "" for nothing
  std::vector<std::string> notes;  ///< lines drawn below: what is missing and why
  std::string caption;             ///< what it says and does not, HTML
  std::string command;             ///< that gives the same numbers
  ChartKind kind = ChartKind::curves;
  ChartAxis x;
  ChartAxis y;
  std::string points_of;  ///< in a plane: what its points differ in
  bool in_order = true;   ///< in a plane: so that lines join them
  std::vector<ChartLine> lines;
};

/// The numbers behind a chart: lines of a CSV file, the header first.
std::vector<std::vector<std::string>> chart_rows(const Chart& chart);

/// The gnuplot script that draws the chart (analysis/drawing/gnuplot). It has the numbers of
/// STEM.csv in it.
std::string chart_script(const Chart& chart);

/// The same numbers for people.
HtmlTable chart_table(const Chart& chart);

/// Chooses units, scales, ranges and tics of both axes where they are not chosen yet. The panels of
/// one metric share them, so that they can be compared.
void fit_axes(std::vector<Chart>& panels);

/// Shall an axis with these values be logarithmic? They are positive, and span more than a decade
/// or are at least three in geometric progression.
bool wants_logarithm(std::vector<double> values);

}  // namespace faultline
