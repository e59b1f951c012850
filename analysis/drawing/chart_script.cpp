// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/chart_canvas.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::drawing {

namespace {

/// Where a value of an axis is drawn, after any logarithm.
double position(const ChartAxis& axis, double drawn) {
  return axis.logarithmic ? std::log10(drawn) : drawn;
}

/// "($4*1000)": a column of the block of numbers, in the unit that is drawn.
std::string scaled(std::size_t column, const ChartAxis& axis) {
  const std::string value = "$" + std::to_string(column);
  if (axis.factor == 1.0) return "(" + value + ")";
  return "(" + value + "*" + json::shortest(axis.factor) + ")";
}

/// A column that is the end of an interval, in the drawn unit. On a logarithmic axis it stops at
/// the end of the axis.
std::string clipped(std::size_t column, const ChartAxis& axis) {
  std::string value = scaled(column, axis);
  if (!axis.logarithmic) return value;
  const std::string least = json::shortest(axis.range->low);
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
                                                 : json::shortest(chart.lines[i].points[point].x);
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

/// What all plots of a drawing have in common.
struct Drawing {
  GnuplotTexts texts;
  std::size_t width = 0;  ///< in pixels, of all panels
};

std::string bar_style(const Drawing& drawing, const ChartLine& line) {
  return interval_style(drawing.width) + type_of(line);
}

std::string title_of(const Chart& chart, const ChartLine& line, Drawing& drawing) {
  return has_key(chart) ? " title " + drawing.texts.variable(line.name) : " notitle";
}

std::string axis_script(const char* axis, const ChartAxis& of) {
  const std::string name = axis;
  std::string text;
  if (of.logarithmic) text += "set logscale " + name + "\n";
  if (of.range)
    text += "set " + name + "range [" + json::shortest(of.range->low) + ":" +
            json::shortest(of.range->high) + "]\n";
  if (of.tics.empty()) {
    // gnuplot has powers of ten alone. Along x there is less room for more.
    const double few = name == "x" ? 100 : 1500;
    if (of.logarithmic && of.range->high < few * of.range->low)
      text += "set for [i=-30:30] " + name + "tics add (2*10.0**i, 5*10.0**i)\n";
    return text;
  }
  std::string list;
  bool slanted = false;
  const double length = position(of, of.range->high) - position(of, of.range->low);
  double labelled = -HUGE_VAL;
  std::size_t letters = 0;  // of the label before
  for (const auto& [label, value] : of.tics) {
    list += (list.empty() ? "'" : ", '") + label + "' " + json::shortest(value);
    if (label.empty()) continue;
    const double at = position(of, value) / length;
    slanted = slanted || !fit_side_by_side((letters + label.size()) / 2, at - labelled);
    labelled = at;
    letters = label.size();
  }
  return text + "set " + name + "tics" + (slanted ? " rotate by 35 right" : "") + " (" + list +
         ")\n";
}

/// The names as tics, upright if they do not fit. They are not given in `set xtics`, where gnuplot
/// would take a percent sign for a format.
std::string name_tics(const Chart& chart, bool upright, GnuplotTexts& texts) {
  std::vector<std::vector<std::string>> places;
  for (const std::string& name : names_along_x(chart))
    places.push_back({std::to_string(places.size() + 1), std::to_string(texts.number(name))});
  return gnuplot_block("places", places) +
         "set xrange [0.4:" + json::shortest(static_cast<double>(places.size()) + 0.6) +
         "]\nset xtics noenhanced" + (upright ? " rotate by 90 right" : "") + "\n";
}

/// The texts under the tics of x, each on a line of its own.
std::string below_script(const Chart& chart, GnuplotTexts& texts) {
  std::string label;
  for (const std::string& line : lines_below(chart))
    label += (label.empty() ? "" : R"( . "\n" . )") + texts.variable(line);
  return label.empty() ? "" : "set xlabel " + label + " noenhanced\n";
}

/// What is drawn below all lines: the names at their places, and the level.
std::vector<std::string> ground_of(const Chart& chart) {
  std::vector<std::string> plots;
  if (!names_along_x(chart).empty())
    plots.emplace_back("$places using 1:(NaN):xticlabels(text($2)) with points notitle");
  if (chart.level) plots.push_back(json::shortest(*chart.level) + " with lines lt -1 notitle");
  return plots;
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

/// How far from the one before a line stands where all stand side by side, as drawn and after any
/// logarithm. Boxes do, and all lines over categories.
double lane_of(const Chart& chart) {
  if (chart.x.names_lines || chart.lines.size() == 1) return 0.45 * chart.x.gap;
  return 0.8 * chart.x.gap / static_cast<double>(chart.lines.size());
}

/// The same on the axis of a number. 0 if points do not meet: all stand where their number is. A
/// reader must still see to which number they belong, and none may leave the plot. Lines move with
/// their points: a point beside its line would look like an error.
double step_aside(const Chart& chart) {
  const ChartAxis& axis = chart.x;
  if (chart.lines.size() < 2 || !axis.range || !points_meet(chart)) return 0.0;
  std::set<double> places;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points)
      if (point.y) places.insert(position(axis, point.x * axis.factor));
  const double low = position(axis, axis.range->low);
  const double high = position(axis, axis.range->high);
  const double edge = std::min(*places.begin() - low, high - *places.rbegin());
  const auto lines = static_cast<double>(chart.lines.size());
  double step = std::min(kStepAside * (high - low), 1.8 * edge / (lines - 1));
  for (auto place = places.begin(); std::next(place) != places.end(); ++place)
    step = std::min(step, 0.6 * (*std::next(place) - *place) / lines);
  return std::max(step, 0.0);
}

double step_of(const Chart& chart) {
  if (chart.kind == ChartKind::boxes || !chart.x.categories.empty()) return lane_of(chart);
  return is_crowded(chart) ? 0.0 : step_aside(chart);
}

/// The expression for the place of a line's value along x, whose number is in this column.
std::string place_along_x(const Chart& chart, std::size_t line, std::size_t column, double step) {
  if (chart.x.names_lines) return "(" + std::to_string(line + 1) + ")";
  std::string along = scaled(column, chart.x);
  const double aside =
      step * (static_cast<double>(line) - static_cast<double>(chart.lines.size() - 1) / 2);
  if (aside == 0.0) return along;
  return chart.x.logarithmic ? "(" + along + "*" + json::shortest(std::pow(10.0, aside)) + ")"
                             : "(" + along + " + (" + json::shortest(aside) + "))";
}

/// The width of a box at such a place. On a logarithmic axis it grows with the number.
std::string box_width(const Chart& chart, const std::string& place) {
  const double width = 0.8 * lane_of(chart);
  return chart.x.logarithmic
             ? "(" + place + "*" +
                   json::shortest(std::pow(10.0, width / 2) - std::pow(10.0, -width / 2)) + ")"
             : "(" + json::shortest(width) + ")";
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

/// How a line of a chart, or of a plane, is drawn.
std::string curve_style(const Chart& chart, const ChartLine& line) {
  const bool has_places =
      chart.kind == ChartKind::curves && (chart.x.names_lines || !chart.x.categories.empty());
  if (!chart.joined || has_places) return "points" + type_of(line) + form_of(chart, line);
  if (!is_crowded(chart)) return "linespoints" + style_of(line);
  return (chart.kind == ChartKind::plane ? "points" : "lines") + style_of(line);
}

std::string curves_script(const Chart& chart, Drawing& drawing) {
  const double step = step_of(chart);
  std::vector<std::string> ground = ground_of(chart);
  std::vector<std::string> curves;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (!is_drawn(line)) continue;
    const Rows rows(chart, i);
    const std::string x = place_along_x(chart, i, 2, step);
    const Bar bar = bar_of(5, 6, chart.y);
    if (!is_crowded(chart))
      ground.push_back(
          rows.plot({x, bar.from, "(0)", bar.length}, bar_style(drawing, line) + " notitle"));
    curves.push_back(rows.plot({x, scaled(4, chart.y)},
                               curve_style(chart, line) + title_of(chart, line, drawing)));
  }
  return plot_of(ground, curves);
}

std::size_t outliers_of(const ChartPoint& point) { return point.outliers.size(); }

/// The values beyond the whiskers, line by line: place along x, and value.
std::string outliers_block(const Chart& chart) {
  std::vector<std::vector<std::string>> rows;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points)
      for (const double value : point.outliers)
        rows.push_back({json::shortest(point.x), json::shortest(value)});
  return rows.empty() ? "" : gnuplot_block("outliers", rows);
}

std::string boxes_script(const Chart& chart, Drawing& drawing) {
  const double step = step_of(chart);
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (!is_drawn(line)) continue;
    const Rows rows(chart, i);
    const std::string x = place_along_x(chart, i, 2, step);
    const std::string width = box_width(chart, x);
    const auto y = [&](std::size_t column) { return scaled(column, chart.y); };
    plots.push_back(rows.plot({x, y(6), y(5), y(9), y(8), width},
                              "candlesticks whiskerbars fill transparent solid " +
                                  fill_of(chart, line) + type_of(line) +
                                  title_of(chart, line, drawing)));
    plots.push_back(rows.plot({x, y(7), y(7), y(7), y(7), width},
                              "candlesticks lw 2.5" + type_of(line) + " notitle"));
    if (chart.joined) plots.push_back(rows.plot({x, y(7)}, "lines" + style_of(line) + " notitle"));
    if (std::any_of(line.points.begin(), line.points.end(), outliers_of))
      plots.push_back(Rows("outliers", chart, i, outliers_of)
                          .plot({place_along_x(chart, i, 1, step), y(2)},
                                "points" + type_of(line) + " pt 6 ps 0.4 notitle"));
  }
  return outliers_block(chart) + plot_of(ground_of(chart), plots);
}

/// The block of those labels of points that stand at one corner. Their texts are given by number.
std::string labels_block(const std::string& name, const Chart& chart,
                         const std::vector<const ChartPoint*>& labelled, GnuplotTexts& texts) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(labelled.size());
  for (const ChartPoint* point : labelled)
    rows.push_back({json::shortest(point->x * chart.x.factor),
                    json::shortest(*point->y * chart.y.factor),
                    std::to_string(texts.number(point->of))});
  return gnuplot_block(name, rows);
}

/// Appends the plots of the labels of points, and returns their blocks.
std::string add_labels(const Chart& chart, GnuplotTexts& texts, std::vector<std::string>& plots) {
  const std::vector<PointLabel> labels = labels_of(chart);
  std::string blocks;
  for (const bool below : {false, true})
    for (const bool left : {false, true}) {
      std::vector<const ChartPoint*> here;
      for (const PointLabel& label : labels)
        if (label.left == left && label.below == below) here.push_back(label.point);
      if (here.empty()) continue;
      const std::string name =
          std::string("labels_") + (below ? "below" : "above") + (left ? "_left" : "_right");
      blocks += labels_block(name, chart, here, texts);
      plots.push_back("$" + name + " using 1:2:(text($3)) with labels " +
                      (left ? "right offset -0.6," : "left offset 0.6,") +
                      (below ? "-0.7" : "0.7") + " font ',10' noenhanced notitle");
    }
  return blocks;
}

std::string plane_script(const Chart& chart, Drawing& drawing) {
  std::vector<std::string> bars;
  std::vector<std::string> curves;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (!is_drawn(line)) continue;
    const Rows rows(chart, i);
    const std::string x = scaled(4, chart.x);
    const std::string y = scaled(7, chart.y);
    const std::string bar = bar_style(drawing, line) + " lw 1 notitle";
    const Bar along = bar_of(5, 6, chart.x);
    const Bar up = bar_of(8, 9, chart.y);
    if (!is_crowded(chart)) {
      bars.push_back(rows.plot({along.from, y, along.length, "(0)"}, bar));
      bars.push_back(rows.plot({x, up.from, "(0)", up.length}, bar));
    }
    curves.push_back(rows.plot({x, y}, curve_style(chart, line) + title_of(chart, line, drawing)));
  }
  const std::string labels = add_labels(chart, drawing.texts, curves);
  return labels + plot_of(bars, curves);
}

/// Everything of a chart but its texts.
std::string panel_script(const Chart& chart, Drawing& drawing) {
  std::string axes = names_along_x(chart).empty()
                         ? axis_script("x", chart.x)
                         : name_tics(chart, canvas_of(chart).upright_names, drawing.texts);
  axes += below_script(chart, drawing.texts);
  axes += axis_script("y", chart.y);
  axes += "set ylabel " + drawing.texts.variable(chart.y.title) + " noenhanced\n";
  if (!chart.panel.empty())
    axes += "set title " + drawing.texts.variable(chart.panel) +
            " noenhanced font ',12' offset 0,-0.6\n";
  const std::string plots = chart.kind == ChartKind::boxes   ? boxes_script(chart, drawing)
                            : chart.kind == ChartKind::plane ? plane_script(chart, drawing)
                                                             : curves_script(chart, drawing);
  return numbers_block(chart) + axes + plots;
}

}  // namespace

std::string chart_script(const Chart& chart) { return panels_script(chart.stem, {chart}, 1); }

std::string panels_script(const std::string& stem, const std::vector<Chart>& panels,
                          std::size_t columns) {
  constexpr std::size_t kNarrow = 420;  // of panels side by side
  Canvas largest;
  if (columns > 1) largest.width = kNarrow;
  const Canvas smallest = largest;
  for (const Chart& chart : panels) {
    const Canvas canvas = canvas_of(chart, smallest);
    largest = {std::max(largest.width, canvas.width), std::max(largest.height, canvas.height)};
  }
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  Drawing drawing{{}, largest.width * columns};
  std::string code;
  for (const Chart& chart : panels)
    code +=
        (code.empty()
             ? ""
             : "unset logscale\nset xtics norotate autofreq\nset ytics autofreq\nunset title\n") +
        panel_script(chart, drawing);
  if (panels.size() > 1)
    code = "set multiplot layout " + std::to_string(rows) + "," + std::to_string(columns) + "\n" +
           code + "unset multiplot\n";
  return gnuplot_head(stem, drawing.width, largest.height * rows) + drawing.texts.definitions() +
         code;
}

}  // namespace faultline::drawing
