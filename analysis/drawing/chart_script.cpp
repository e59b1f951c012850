// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "analysis/drawing/axis_script.hpp"
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
  DrawingSize size;             ///< of all panels
  Canvas smallest;              ///< what each panel could be if its texts needed no more
  std::size_t panel_width = 0;  ///< in pixels
};

/// The words that choose the size of a text, in pixels of the layout.
std::string in_size(double text_px, const Drawing& drawing) {
  return " font '," + font_size(text_px, drawing.size) + "'";
}

std::string bar_style(const Drawing& drawing, const ChartLine& line) {
  return interval_style(drawing.size.width) + type_of(line);
}

std::string title_of(const Chart& chart, const ChartLine& line, Drawing& drawing) {
  return has_key(chart) ? " title " + drawing.texts.variable(line.name) : " notitle";
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
std::string add_labels(const Chart& chart, Drawing& drawing, std::vector<std::string>& plots) {
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
      blocks += labels_block(name, chart, here, drawing.texts);
      plots.push_back("$" + name + " using 1:2:(text($3)) with labels " +
                      (left ? "right offset -0.6," : "left offset 0.6,") +
                      (below ? "-0.7" : "0.7") + in_size(10, drawing) + " noenhanced notitle");
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
  const std::string labels = add_labels(chart, drawing, curves);
  return labels + plot_of(bars, curves);
}

/// Everything of a chart but its texts.
std::string panel_script(const Chart& chart, Drawing& drawing) {
  std::string axes =
      names_along_x(chart).empty()
          ? axis_script("x", chart.x, drawing.panel_width)
          : name_tics(chart, canvas_of(chart, drawing.smallest).upright_names, drawing.texts);
  axes += below_script(chart, drawing.texts);
  axes += axis_script("y", chart.y, drawing.panel_width);
  axes += "set ylabel " + drawing.texts.variable(chart.y.title) + " noenhanced\n";
  if (!chart.panel.empty())
    axes += "set title " + drawing.texts.variable(chart.panel) + " noenhanced" +
            in_size(12, drawing) + " offset 0,-0.6\n";
  const std::string plots = chart.kind == ChartKind::boxes   ? boxes_script(chart, drawing)
                            : chart.kind == ChartKind::plane ? plane_script(chart, drawing)
                                                             : curves_script(chart, drawing);
  return numbers_block(chart) + axes + plots;
}

constexpr double kPixelsOfCm = 96 / 2.54;

/// The least size of a panel, of which so many stand side by side. In a drawing of a stated width
/// it is what is left of the paper with text of 8 points.
Canvas smallest_panel(std::size_t columns, std::optional<double> width_cm) {
  constexpr std::size_t kNarrow = 420;  // of panels side by side
  constexpr double kLeast = 300;
  constexpr double kTextScale = 8.0 / 72 * 96 / kTextSize;
  Canvas smallest;
  if (!width_cm) {
    if (columns > 1) smallest.width = kNarrow;
    return smallest;
  }
  const double width =
      std::max(kLeast, *width_cm * kPixelsOfCm / kTextScale / static_cast<double>(columns));
  const double height = static_cast<double>(smallest.height) / static_cast<double>(smallest.width);
  smallest.height = static_cast<std::size_t>(std::lround(width * height));
  smallest.width = static_cast<std::size_t>(std::lround(width));
  return smallest;
}

/// Undoes what a panel has set for itself, before the next one.
constexpr const char* kNextPanel =
    "unset logscale\nset format '%h'\nset xtics norotate autofreq enhanced\nset ytics autofreq\n"
    "unset title\n";

}  // namespace

std::string chart_script(const Chart& chart, std::optional<double> width_cm) {
  return panels_script(chart.stem, {chart}, 1, width_cm);
}

std::string panels_script(const std::string& stem, const std::vector<Chart>& panels,
                          std::size_t columns, std::optional<double> width_cm) {
  const Canvas smallest = smallest_panel(columns, width_cm);
  Canvas largest = smallest;
  for (const Chart& chart : panels) {
    const Canvas canvas = canvas_of(chart, smallest);
    largest = {std::max(largest.width, canvas.width), std::max(largest.height, canvas.height)};
  }
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  Drawing drawing{.texts = {},
                  .size = {.width = largest.width * columns, .height = largest.height * rows},
                  .smallest = smallest,
                  .panel_width = largest.width};
  if (width_cm)
    drawing.size.scale = *width_cm * kPixelsOfCm / static_cast<double>(drawing.size.width);
  std::string code;
  for (const Chart& chart : panels)
    code += (code.empty() ? "" : kNextPanel) + panel_script(chart, drawing);
  if (panels.size() > 1)
    code = "set multiplot layout " + std::to_string(rows) + "," + std::to_string(columns) + "\n" +
           code + "unset multiplot\n";
  return gnuplot_head(stem, drawing.size) + drawing.texts.definitions() + code;
}

}  // namespace faultline::drawing
