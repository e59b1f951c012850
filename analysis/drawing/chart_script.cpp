#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

namespace {

constexpr std::size_t kWidth = 480;
constexpr std::size_t kPlotHeight = 320;
constexpr std::size_t kMostLabels = 12;  // of the points of one line in a plane

/// "($4*1000)": a column of the numbers in the unit that is drawn.
std::string scaled(std::size_t column, const ChartAxis& axis) {
  const std::string value = "$" + std::to_string(column);
  if (axis.factor == 1.0) return "(" + value + ")";
  return "(" + value + "*" + shortest(axis.factor) + ")";
}

/// The same for an end of an interval, which on a logarithmic axis stops where the axis does.
std::string clipped(std::size_t column, const ChartAxis& axis) {
  std::string value = scaled(column, axis);
  if (!axis.logarithmic) return value;
  const std::string least = shortest(axis.range->low);
  return "(" + value + " > " + least + " ? " + value + " : " + least + ")";
}

/// The numbers as the CSV has them, but for the name of the line, which may be any text: its
/// number.
std::string numbers_block(const Chart& chart) {
  auto rows = chart_rows(chart);
  rows.erase(rows.begin());
  std::size_t row = 0;
  for (std::size_t i = 0; i < chart.lines.size(); ++i)
    for (std::size_t point = 0; point < chart.lines[i].points.size(); ++point)
      rows[row++].front() = std::to_string(i + 1);
  return gnuplot_block("numbers", rows);
}

/// The rows of a line in the block of numbers, and a plot of some of its columns.
class Rows {
 public:
  Rows(const Chart& chart, std::size_t line) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < line; ++i) first += chart.lines[i].points.size();
    const std::size_t last = first + chart.lines[line].points.size() - 1;
    rows_ = "$numbers every ::" + std::to_string(first) + "::" + std::to_string(last) + " using ";
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

/// A line without values has no rows to draw.
bool is_drawn(const ChartLine& line) {
  return std::any_of(line.points.begin(), line.points.end(),
                     [](const ChartPoint& point) { return point.y || point.box; });
}

std::string type_of(const ChartLine& line) { return " lt " + std::to_string(line.line_type); }

std::string style_of(const ChartLine& line) {
  return type_of(line) + " dt " + std::to_string(line.dash);
}

bool is_named(const Chart& chart) { return !chart.x.names_lines && chart.lines.size() > 1; }

std::string title_of(const Chart& chart, const ChartLine& line, GnuplotTexts& texts) {
  return is_named(chart) ? " title " + texts.variable(line.name) : " notitle";
}

std::size_t longest_name(const Chart& chart) {
  std::size_t longest = 0;
  for (const ChartLine& line : chart.lines) longest = std::max(longest, visible(line.name).size());
  return longest;
}

/// Rows of the key, as gnuplot lays it out with this font.
std::size_t key_rows(const Chart& chart) {
  constexpr std::size_t kLetter = 7;
  constexpr std::size_t kSample = 50;
  if (!is_named(chart)) return 0;
  const std::size_t columns =
      std::max<std::size_t>(1, kWidth * 3 / 4 / (longest_name(chart) * kLetter + kSample));
  return (chart.lines.size() + columns - 1) / columns;
}

std::string axis_script(const char* axis, const ChartAxis& of, bool as_logarithm,
                        GnuplotTexts& texts) {
  const std::string name = axis;
  std::string text = "set " + name + "label " + texts.variable(of.title) + " noenhanced\n";
  if (of.logarithmic && !as_logarithm) text += "set logscale " + name + "\n";
  const auto place = [&](double value) {
    return shortest(as_logarithm && of.logarithmic ? std::log10(value) : value);
  };
  if (of.range)
    text += "set " + name + "range [" + place(of.range->low) + ":" + place(of.range->high) + "]\n";
  if (of.tics.empty()) return text;
  std::string tics;
  for (const auto& [label, value] : of.tics) {
    tics += tics.empty() ? "" : ", ";
    tics += "'" + label + "' " + place(value);
  }
  return text + "set " + name + "tics (" + tics + ")\n";
}

/// Names of lines as tics, slanted where they are long. Not in `set xtics`, where gnuplot takes a
/// percent sign in a text for a format.
std::string name_tics(const Chart& chart, GnuplotTexts& texts) {
  std::vector<std::vector<std::string>> places;
  for (const ChartLine& line : chart.lines)
    places.push_back({std::to_string(places.size() + 1), std::to_string(texts.number(line.name))});
  const bool slanted = longest_name(chart) * chart.lines.size() > 60;
  return gnuplot_block("places", places) +
         "set xrange [0.4:" + shortest(static_cast<double>(chart.lines.size()) + 0.6) +
         "]\nset xtics noenhanced" + (slanted ? " rotate by -35" : "") + "\n";
}

/// A plot that draws nothing but the names at their places.
std::vector<std::string> names_plot(const Chart& chart) {
  if (!chart.x.names_lines) return {};
  return {"$places using 1:(NaN):xticlabels(text($2)) with points notitle"};
}

/// All plots of a drawing. Those of the ground come first: gnuplot clears a place for the middle of
/// an error bar, which would hide the points of other lines.
std::string plot_of(const std::vector<std::string>& ground,
                    const std::vector<std::string>& figure) {
  std::string text;
  for (const auto* plots : {&ground, &figure})
    for (const std::string& plot : *plots) text += (text.empty() ? "plot " : ", \\\n  ") + plot;
  return text + "\n";
}

/// More points than can be told apart are lines alone.
bool is_crowded(const Chart& chart) {
  constexpr std::size_t kMostPoints = 400;
  std::size_t points = 0;
  for (const ChartLine& line : chart.lines) points += line.points.size();
  return points > kMostPoints;
}

/// Where a line stands whose place is its name.
std::string named_place(std::size_t line) { return "(" + std::to_string(line + 1) + ")"; }

std::string curves_script(const Chart& chart, GnuplotTexts& texts) {
  const bool crowded = is_crowded(chart);
  std::vector<std::string> bars = names_plot(chart);
  std::vector<std::string> curves;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (!is_drawn(line)) continue;
    const Rows rows(chart, i);
    const std::string x = chart.x.names_lines ? named_place(i) : scaled(2, chart.x);
    const std::string y = scaled(4, chart.y);
    if (!crowded)
      bars.push_back(rows.plot({x, y, clipped(5, chart.y), clipped(6, chart.y)},
                               "yerrorbars" + type_of(line) + " pt -1 notitle"));
    const std::string style = chart.x.names_lines
                                  ? "points" + type_of(line)
                                  : (crowded ? "lines" : "linespoints") + style_of(line);
    curves.push_back(rows.plot({x, y}, style + title_of(chart, line, texts)));
  }
  return plot_of(bars, curves);
}

/// Where a value of x is drawn: boxes are as broad on one side as on the other.
double place_of(const ChartAxis& axis, double x) {
  const double drawn = x * axis.factor;
  return axis.logarithmic ? std::log10(drawn) : drawn;
}

/// Where all points are drawn, and the least distance of two that differ.
struct Places {
  double first = 0.0;
  double last = 0.0;
  double gap = 1.0;
};

Places places_of(const Chart& chart) {
  std::vector<double> places;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points) places.push_back(place_of(chart.x, point.x));
  if (places.empty()) return {};
  std::sort(places.begin(), places.end());
  double gap = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const double here = places[i] - places[i - 1];
    if (here > 1e-9 && (gap == 0 || here < gap)) gap = here;
  }
  return {places.front(), places.back(), gap == 0 ? 1.0 : gap};
}

/// Boxes of one colour differ in how full they are, as lines do in their dashes.
std::string fill_of(const ChartLine& line) {
  constexpr const char* kFills[] = {"0.3", "0.04", "0.6", "0.15", "0.85"};
  return kFills[(line.dash - 1) % std::size(kFills)];
}

/// The boxes of the lines stand side by side.
std::string boxes_script(const Chart& chart, GnuplotTexts& texts) {
  const std::size_t lanes = chart.x.names_lines ? 1 : chart.lines.size();
  const Places places = chart.x.names_lines ? Places{} : places_of(chart);
  const double lane = (lanes == 1 ? 0.45 : 0.8) * places.gap / static_cast<double>(lanes);
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (!is_drawn(line)) continue;
    const Rows rows(chart, i);
    const double aside =
        lane * (static_cast<double>(i) - static_cast<double>(chart.lines.size() - 1) / 2);
    const std::string along = scaled(2, chart.x);
    const std::string x = chart.x.names_lines
                              ? named_place(i)
                              : "(" + (chart.x.logarithmic ? "log10" + along : along) + " + (" +
                                    shortest(aside) + "))";
    const auto y = [&](std::size_t column) { return scaled(column, chart.y); };
    plots.push_back(rows.plot({x, y(6), y(5), y(9), y(8)},
                              "candlesticks whiskerbars fill transparent solid " + fill_of(line) +
                                  type_of(line) + title_of(chart, line, texts)));
    plots.push_back(
        rows.plot({x, y(7), y(7), y(7), y(7)}, "candlesticks lw 2.5" + type_of(line) + " notitle"));
  }
  std::string text = "set boxwidth " + shortest(0.8 * lane) + "\n";
  if (!chart.x.names_lines)
    text += "set xrange [" + shortest(places.first - 0.6 * places.gap) + ":" +
            shortest(places.last + 0.6 * places.gap) + "]\n";
  return text + plot_of(names_plot(chart), plots);
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
    if (!crowded)
      bars.push_back(rows.plot({x, y, clipped(5, chart.x), clipped(6, chart.x), clipped(8, chart.y),
                                clipped(9, chart.y)},
                               "xyerrorbars" + type_of(line) + " lw 1 pt -1 notitle"));
    const std::string style = crowded ? "points" : "linespoints";
    curves.push_back(rows.plot({x, y}, style + style_of(line) + title_of(chart, line, texts)));
    if (line.points.size() > 1 && line.points.size() <= kMostLabels)
      curves.push_back(
          rows.plot({x, y, "2"}, "labels left offset 0.9,0.6 font ',10' noenhanced textcolor" +
                                     type_of(line) + " notitle"));
  }
  return plot_of(bars, curves);
}

}  // namespace

std::string chart_script(const Chart& chart) {
  const bool boxes = chart.kind == ChartKind::boxes;
  GnuplotTexts texts;
  std::string axes =
      chart.x.names_lines ? name_tics(chart, texts) : axis_script("x", chart.x, boxes, texts);
  axes += axis_script("y", chart.y, false, texts);
  const std::string plots = boxes                            ? boxes_script(chart, texts)
                            : chart.kind == ChartKind::plane ? plane_script(chart, texts)
                                                             : curves_script(chart, texts);
  return gnuplot_head(chart.stem, kWidth, kPlotHeight + 18 * key_rows(chart)) +
         texts.definitions() + numbers_block(chart) + axes + plots;
}

}  // namespace faultline
