// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/chart_canvas.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

namespace {

/// "($4*1000)": a column of the block of numbers, in the unit that is drawn.
std::string scaled(std::size_t column, const ChartAxis& axis) {
  const std::string value = "$" + std::to_string(column);
  if (axis.factor == 1.0) return "(" + value + ")";
  return "(" + value + "*" + shortest(axis.factor) + ")";
}

/// The same for the end of an interval. On a logarithmic axis it stops at the end of the axis.
std::string clipped(std::size_t column, const ChartAxis& axis) {
  std::string value = scaled(column, axis);
  if (!axis.logarithmic) return value;
  const std::string least = shortest(axis.range->low);
  return "(" + value + " > " + least + " ? " + value + " : " + least + ")";
}

/// The rows of the CSV, but every text is replaced by its number: the name of the line, the
/// category, and what tells the points of a plane apart.
std::string numbers_block(const Chart& chart) {
  auto rows = chart_rows(chart);
  rows.erase(rows.begin());
  if (has_bounds(chart))
    for (auto& record : rows) record.pop_back();  // words are not drawn
  std::size_t row = 0;
  for (std::size_t i = 0; i < chart.lines.size(); ++i)
    for (std::size_t point = 0; point < chart.lines[i].points.size(); ++point) {
      std::vector<std::string>& record = rows[row++];
      record[0] = std::to_string(i + 1);
      record[1] = chart.kind == ChartKind::plane ? std::to_string(point + 1)
                                                 : shortest(chart.lines[i].points[point].x);
    }
  return gnuplot_block("numbers", rows);
}

/// The columns of an interval along an axis: where it begins, and how long it is.
struct Bar {
  std::string from;
  std::string length;
};

Bar bar_of(std::size_t low, std::size_t high, const ChartAxis& axis) {
  const std::string from = clipped(low, axis);
  return {from, "(" + clipped(high, axis) + " - " + from + ")"};
}

/// Makes gnuplot's plots of some columns, for one line's rows in the block of numbers.
class Rows {
 public:
  Rows(const Chart& chart, std::size_t line)
      : Rows("numbers", chart, line, [](const ChartPoint&) { return std::size_t{1}; }) {}

  /// For another block, in which a point has this many rows.
  template <class Count>
  Rows(const std::string& block, const Chart& chart, std::size_t line, const Count& rows_of) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < line; ++i)
      for (const ChartPoint& point : chart.lines[i].points) first += rows_of(point);
    std::size_t end = first;
    for (const ChartPoint& point : chart.lines[line].points) end += rows_of(point);
    rows_ = "$" + block + " every ::" + std::to_string(first) + "::" + std::to_string(end - 1) +
            " using ";
  }
  [[nodiscard]] std::string plot(const std::vector<std::string>& columns,
                                 const std::string& style) const {
    std::string text = rows_;
    for (const std::string& column : columns)
      text += (&column == columns.data() ? "" : ":") + column;
    return text + " with " + style;
  }

 private:
  std::string rows_;
};

/// A line without values has no rows.
bool is_drawn(const ChartLine& line) {
  return std::any_of(line.points.begin(), line.points.end(),
                     [](const ChartPoint& point) { return point.y || point.box; });
}

std::string type_of(const ChartLine& line) { return " lt " + std::to_string(line.line_type); }

std::string style_of(const ChartLine& line) {
  return type_of(line) + " dt " + std::to_string(line.dash);
}

bool is_named(const Chart& chart) { return !chart.x.names_lines && chart.lines.size() > 1; }

std::string bar_style(const Chart& chart, const ChartLine& line) {
  return interval_style(canvas_of(chart).width) + type_of(line);
}

std::string title_of(const Chart& chart, const ChartLine& line, GnuplotTexts& texts) {
  return is_named(chart) ? " title " + texts.variable(line.name) : " notitle";
}

std::string axis_script(const char* axis, const ChartAxis& of, bool as_logarithm) {
  const std::string name = axis;
  std::string text;
  if (of.logarithmic && !as_logarithm) text += "set logscale " + name + "\n";
  const auto place = [&](double value) {
    return as_logarithm && of.logarithmic ? std::log10(value) : value;
  };
  if (of.range)
    text += "set " + name + "range [" + shortest(place(of.range->low)) + ":" +
            shortest(place(of.range->high)) + "]\n";
  if (of.tics.empty()) return text;
  Tics tics = of.tics;
  std::vector<double> minor = of.minor_tics;
  for (auto& [label, value] : tics) value = place(value);
  for (double& value : minor) value = place(value);
  return text + "set " + name + "tics " + tic_list(tics, minor) + "\n";
}

/// The names as tics, slanted if they do not fit. They are not given in `set xtics`, where gnuplot
/// would take a percent sign for a format.
std::string name_tics(const Chart& chart, const Canvas& canvas, GnuplotTexts& texts) {
  std::vector<std::vector<std::string>> places;
  for (const std::string& name : names_along_x(chart))
    places.push_back({std::to_string(places.size() + 1), std::to_string(texts.number(name))});
  std::string text = gnuplot_block("places", places) +
                     "set xrange [0.4:" + shortest(static_cast<double>(places.size()) + 0.6) +
                     "]\nset xtics noenhanced" + (canvas.slanted ? kSlanted : "") + "\n";
  if (canvas.left_margin > 0) text += "set lmargin " + std::to_string(canvas.left_margin) + "\n";
  return text;
}

/// The texts under the tics of x. gnuplot does not know how far slanted names reach down, so the
/// texts below them get explicit places.
std::string below_script(const Chart& chart, const Canvas& canvas, GnuplotTexts& texts) {
  const auto part = [&](double pixels) {
    return shortest(pixels / static_cast<double>(canvas.height));
  };
  const std::vector<std::string> lines = lines_below(chart);
  std::string text;
  if (canvas.slanted)
    text += "set bmargin at screen " + part(static_cast<double>(canvas.below_names)) + "\n";
  std::string label;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string variable = texts.variable(lines[i]);
    label += (i == 0 ? "" : R"( . "\n" . )") + variable;
    if (canvas.slanted)
      text += "set label " + variable + " at graph 0.5, screen " +
              part(18.0 * static_cast<double>(lines.size() - i) - 6.0) + " center noenhanced\n";
  }
  if (!canvas.slanted && !label.empty()) text += "set xlabel " + label + " noenhanced\n";
  return text;
}

/// A plot that draws nothing but the names at their places.
std::vector<std::string> names_plot(const Chart& chart) {
  if (names_along_x(chart).empty()) return {};
  return {"$places using 1:(NaN):xticlabels(text($2)) with points notitle"};
}

/// All plots of a drawing. Those in `ground` come first, so that no interval hides a point of
/// another line.
std::string plot_of(const std::vector<std::string>& ground,
                    const std::vector<std::string>& figure) {
  std::string text;
  for (const auto* plots : {&ground, &figure})
    for (const std::string& plot : *plots) text += (text.empty() ? "plot " : ", \\\n  ") + plot;
  return text + "\n";
}

/// So many points cannot be told apart, so only lines are drawn.
bool is_crowded(const Chart& chart) {
  constexpr std::size_t kMostPoints = 400;
  std::size_t points = 0;
  for (const ChartLine& line : chart.lines) points += line.points.size();
  return points > kMostPoints;
}

/// The width of what a line draws at one place, and its offset from that place. Boxes, and all
/// lines over categories, stand side by side.
struct Lanes {
  double breadth = 0.45;
  std::size_t count = 1;

  [[nodiscard]] double aside(std::size_t line) const {
    return count == 1 ? 0.0
                      : breadth * (static_cast<double>(line) - static_cast<double>(count - 1) / 2);
  }
};

Lanes lanes_of(const Chart& chart) {
  if (chart.x.names_lines || chart.lines.size() == 1) return {0.45 * chart.x.gap, 1};
  return {0.8 * chart.x.gap / static_cast<double>(chart.lines.size()), chart.lines.size()};
}

/// The expression for the place along x of a line's value, with its offset if lines stand side by
/// side.
std::string place_along_x(const Chart& chart, std::size_t line, std::size_t column) {
  if (chart.x.names_lines) return "(" + std::to_string(line + 1) + ")";
  const bool boxes = chart.kind == ChartKind::boxes;
  std::string along = scaled(column, chart.x);
  if (!boxes && chart.x.categories.empty()) return along;
  return "(" + (boxes && chart.x.logarithmic ? "log10" + along : along) + " + (" +
         shortest(lanes_of(chart).aside(line)) + "))";
}

/// How far from the one before a line stands on the axis of a number, as drawn and after any
/// logarithm. 0 if points do not meet: all stand where their number is. A reader must still see to
/// which number they belong, and none may leave the plot. Lines move with their points: a point
/// beside its line would look like an error.
double step_aside(const Chart& chart) {
  const ChartAxis& axis = chart.x;
  if (chart.lines.size() < 2 || !axis.range || !points_meet(chart)) return 0.0;
  const auto position = [&](double drawn) { return axis.logarithmic ? std::log10(drawn) : drawn; };
  std::set<double> places;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points)
      if (point.y) places.insert(position(point.x * axis.factor));
  const double low = position(axis.range->low);
  const double high = position(axis.range->high);
  const double edge = std::min(*places.begin() - low, high - *places.rbegin());
  const auto lines = static_cast<double>(chart.lines.size());
  double step = kStepAside * (high - low) / plot_breadth(canvas_of(chart).width);
  step = std::min(step, 1.8 * edge / (lines - 1));
  for (auto place = places.begin(); std::next(place) != places.end(); ++place)
    step = std::min(step, 0.6 * (*std::next(place) - *place) / lines);
  return std::max(step, 0.0);
}

/// Where a line stands on the axis of a number.
std::string beside_number(const Chart& chart, std::size_t line, double step) {
  std::string along = scaled(2, chart.x);
  const double aside =
      step * (static_cast<double>(line) - static_cast<double>(chart.lines.size() - 1) / 2);
  if (aside == 0.0) return along;
  return chart.x.logarithmic ? "(" + along + "*" + shortest(std::pow(10.0, aside)) + ")"
                             : "(" + along + " + (" + shortest(aside) + "))";
}

/// Does no other line have this colour?
bool has_own_colour(const Chart& chart, const ChartLine& line) {
  return std::count_if(chart.lines.begin(), chart.lines.end(), [&](const ChartLine& other) {
           return other.line_type == line.line_type;
         }) == 1;
}

/// Boxes of the same colour differ in how dense their fill is, as lines differ in their dashes.
std::string fill_of(const Chart& chart, const ChartLine& line) {
  constexpr const char* kFills[] = {"0.3", "0.04", "0.6", "0.15", "0.85"};
  return kFills[has_own_colour(chart, line) ? 0 : (line.dash - 1) % std::size(kFills)];
}

/// Points that no line joins have different shapes if their colour is the same.
std::string form_of(const Chart& chart, const ChartLine& line) {
  constexpr const char* kForms[] = {" pt 7", " pt 4", " pt 9", " pt 12", " pt 11"};
  return has_own_colour(chart, line) ? "" : kForms[(line.dash - 1) % std::size(kForms)];
}

std::string curves_script(const Chart& chart, GnuplotTexts& texts) {
  const bool has_curves = !chart.x.names_lines && chart.x.categories.empty();
  const bool crowded = is_crowded(chart);
  const double step = has_curves && !crowded ? step_aside(chart) : 0.0;
  std::vector<std::string> bars = names_plot(chart);
  std::vector<std::string> curves;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (!is_drawn(line)) continue;
    const Rows rows(chart, i);
    const std::string x = step == 0.0 ? place_along_x(chart, i, 2) : beside_number(chart, i, step);
    const std::string y = scaled(4, chart.y);
    const Bar bar = bar_of(5, 6, chart.y);
    if (!crowded)
      bars.push_back(
          rows.plot({x, bar.from, "(0)", bar.length}, bar_style(chart, line) + " notitle"));
    const std::string style = has_curves ? (crowded ? "lines" : "linespoints") + style_of(line)
                                         : "points" + type_of(line) + form_of(chart, line);
    curves.push_back(rows.plot({x, y}, style + title_of(chart, line, texts)));
  }
  return plot_of(bars, curves);
}

std::size_t outliers_of(const ChartPoint& point) { return point.outliers.size(); }

/// The values beyond the whiskers, line by line: place along x, and value.
std::string outliers_block(const Chart& chart) {
  std::vector<std::vector<std::string>> rows;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points)
      for (const double value : point.outliers)
        rows.push_back({shortest(point.x), shortest(value)});
  return rows.empty() ? "" : gnuplot_block("outliers", rows);
}

std::string boxes_script(const Chart& chart, GnuplotTexts& texts) {
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (!is_drawn(line)) continue;
    const Rows rows(chart, i);
    const std::string x = place_along_x(chart, i, 2);
    const auto y = [&](std::size_t column) { return scaled(column, chart.y); };
    plots.push_back(
        rows.plot({x, y(6), y(5), y(9), y(8)}, "candlesticks whiskerbars fill transparent solid " +
                                                   fill_of(chart, line) + type_of(line) +
                                                   title_of(chart, line, texts)));
    plots.push_back(
        rows.plot({x, y(7), y(7), y(7), y(7)}, "candlesticks lw 2.5" + type_of(line) + " notitle"));
    if (std::any_of(line.points.begin(), line.points.end(), outliers_of))
      plots.push_back(Rows("outliers", chart, i, outliers_of)
                          .plot({place_along_x(chart, i, 1), y(2)},
                                "points" + type_of(line) + " pt 6 ps 0.4 notitle"));
  }
  return outliers_block(chart) + "set boxwidth " + shortest(0.8 * lanes_of(chart).breadth) + "\n" +
         plot_of(names_plot(chart), plots);
}

/// The labels of points. Their texts are given by number.
std::string labels_block(const std::vector<PlacedLabel>& labels, GnuplotTexts& texts) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(labels.size());
  for (const PlacedLabel& label : labels)
    rows.push_back(
        {shortest(label.x), shortest(label.y), std::to_string(texts.number(label.text))});
  return gnuplot_block("labels", rows);
}

std::string plane_script(const Chart& chart, GnuplotTexts& texts) {
  const bool crowded = is_crowded(chart);
  std::vector<std::string> bars;
  std::vector<std::string> curves;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (!is_drawn(line)) continue;
    const Rows rows(chart, i);
    const std::string x = scaled(4, chart.x);
    const std::string y = scaled(7, chart.y);
    const std::string bar = bar_style(chart, line) + " lw 1 notitle";
    const Bar along = bar_of(5, 6, chart.x);
    const Bar up = bar_of(8, 9, chart.y);
    if (!crowded) bars.push_back(rows.plot({along.from, y, along.length, "(0)"}, bar));
    if (!crowded) bars.push_back(rows.plot({x, up.from, "(0)", up.length}, bar));
    const std::string style = crowded || !chart.in_order ? "points" : "linespoints";
    curves.push_back(rows.plot(
        {x, y}, style + (chart.in_order ? style_of(line) : type_of(line) + form_of(chart, line)) +
                    title_of(chart, line, texts)));
  }
  const std::vector<PlacedLabel> labels = labels_of(chart);
  if (labels.empty()) return plot_of(bars, curves);
  curves.emplace_back(
      "$labels using 1:2:(text($3)) with labels left font ',10' noenhanced notitle");
  return labels_block(labels, texts) + plot_of(bars, curves);
}

}  // namespace

std::string chart_script(const Chart& chart) {
  const bool boxes = chart.kind == ChartKind::boxes;
  const Canvas canvas = canvas_of(chart);
  GnuplotTexts texts;
  std::string axes = names_along_x(chart).empty() ? axis_script("x", chart.x, boxes)
                                                  : name_tics(chart, canvas, texts);
  axes += below_script(chart, canvas, texts);
  axes += axis_script("y", chart.y, false);
  axes += "set ylabel " + texts.variable(chart.y.title) + " noenhanced\n";
  if (!chart.panel.empty())
    axes += "set title " + texts.variable(chart.panel) + " noenhanced font ',12' offset 0,-0.6\n";
  if (canvas.key_columns > 0)
    axes += "set key maxcols " + std::to_string(canvas.key_columns) + "\n";
  const std::string plots = boxes                            ? boxes_script(chart, texts)
                            : chart.kind == ChartKind::plane ? plane_script(chart, texts)
                                                             : curves_script(chart, texts);
  return gnuplot_head(chart.stem, canvas.width, canvas.height) + texts.definitions() +
         numbers_block(chart) + axes + plots;
}

}  // namespace faultline
