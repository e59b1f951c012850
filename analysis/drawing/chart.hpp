// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/drawing/html_page.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline::drawing {

/// One point of a line. If it has no value, nothing is drawn, and the table says so.
struct ChartPoint {
  double x = 0.0;
  std::optional<double> y;
  std::optional<statistics::Interval> x_interval;
  std::optional<statistics::Interval> y_interval;
  std::optional<statistics::Boxplot> box;
  std::vector<double> outliers;  ///< the distinct values beyond the box's whiskers
  std::size_t runs = 0;          ///< number of runs that have a value
  /// What the mean is worth: y, or x in a plane.
  statistics::MeanBound bound = statistics::MeanBound::exact;
  std::string of;  ///< in a plane: the text that tells it apart from others of its line
};

struct ChartLine {
  std::string name;
  std::size_t line_type = 1;  ///< of analysis/drawing/gnuplot: colour and point
  std::size_t dash = 1;       ///< 1 is solid
  std::vector<ChartPoint> points;
};

/// Places along an axis in the drawn unit, ascending, with their texts, which are numbers or "".
using Tics = std::vector<std::pair<std::string, double>>;

/// What decides whether an axis is logarithmic.
enum class AxisScale { by_values, linear, logarithmic };

/// An axis. Points keep their own unit; multiplied by `factor` they are in the unit that is drawn.
struct ChartAxis {
  std::string name;     ///< of the column in the CSV: "detection_latency_s"
  std::string title;    ///< of the axis: "detection latency [us]"
  std::string heading;  ///< of the column in the table for people; "": the name
  double factor = 1.0;
  std::optional<double> largest;  ///< decides on the unit; none: the largest value of the panels
  AxisScale scale = AxisScale::by_values;
  bool logarithmic = false;                   ///< chosen by fit_axes()
  bool from_zero = true;                      ///< y only: even if all values are far from 0
  std::optional<statistics::Interval> range;  ///< in the drawn unit; none: gnuplot chooses
  Tics tics;                 ///< x only; none: gnuplot places them at round numbers
  bool names_lines = false;  ///< x only: no numbers, each line has its own place
  double gap = 1.0;          ///< x only: least distance of two places as drawn, after any logarithm
  std::vector<std::string> categories;  ///< x only: what stands at 1, 2, ...; none: numbers
};

/// `curves`: means with intervals over x. `boxes`: boxplots over x. `plane`: points with intervals
/// in both directions, joined by lines if they have an order.
enum class ChartKind { curves, boxes, plane };

struct Chart {
  std::string stem;  ///< of the names of its files
  std::string title;
  std::string panel;               ///< what its lines have in common, drawn above; "" for nothing
  std::vector<std::string> notes;  ///< lines drawn below: what is missing and why
  std::string caption;             ///< what it shows and what not, as HTML
  std::string command;             ///< command that gives the same numbers
  ChartKind kind = ChartKind::curves;
  ChartAxis x;
  ChartAxis y;
  std::string points_of;        ///< in a plane: what its points differ in, as a column of the CSV
  std::string points_heading;   ///< the heading of that column for people; "": the same
  bool joined = true;           ///< does each line join its points, or the medians of its boxes?
  bool names_single = false;    ///< has a key even if it has a single line
  std::optional<double> level;  ///< a value of y at which a line goes across
  std::vector<ChartLine> lines;
};

/// The numbers behind a chart, as lines of a CSV file, the header first. If means are over runs
/// that were cut off, the last column `bound` says so of each.
std::vector<std::vector<std::string>> chart_rows(const Chart& chart);

/// Are some of its means over runs that were cut off?
bool has_bounds(const Chart& chart);

/// The gnuplot script that draws the chart (analysis/drawing/gnuplot). It contains the numbers of
/// STEM.csv.
/// For paper it is drawn `width_cm` wide, with text of 8 points; where texts need more room than
/// that leaves, everything is smaller.
std::string chart_script(const Chart& chart, std::optional<double> width_cm = {});

/// The script of a drawing with several charts, so many in a row.
std::string panels_script(const std::string& stem, const std::vector<Chart>& panels,
                          std::size_t columns, std::optional<double> width_cm = {});

/// The numbers behind a chart as a table for people.
HtmlTable chart_table(const Chart& chart);

/// Chooses the units, scales and ranges of both axes that are not set yet, and the tics of x. All
/// panels get the same, so that they can be compared.
void fit_axes(std::vector<Chart>& panels);

/// Chooses the unit of an axis from its largest value: times are shown in the unit that is easiest
/// to read. Sets the title, if there is none, and the factor.
void choose_unit(ChartAxis& axis, double largest);

/// Should an axis with these values be logarithmic? It should if all are positive, and they span
/// more than a decade or are at least three in geometric progression.
bool wants_logarithm(std::vector<double> values);

}  // namespace faultline::drawing
