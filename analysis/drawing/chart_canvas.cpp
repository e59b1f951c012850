// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/chart_canvas.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/core/visible_text.hpp"

namespace faultline::drawing {

namespace {

// Sizes in pixels of what gnuplot draws in the fonts of gnuplot_head. A letter is a broad one, so
// that texts find enough room in any usual font.
constexpr std::size_t kLetter = 8;
constexpr std::size_t kLine = 18;
constexpr std::size_t kSample = 48;  // a line sample of the key, with the gaps around it
constexpr std::size_t kBeside = 90;  // labels of the axis at the left, and the edge at the right
constexpr std::size_t kBelow = 70;   // the same for below and above the plot
constexpr std::size_t kWidest = 1200;

std::size_t breadth_of(const std::string& text) {
  return std::min(visible(text).size() * kLetter, kWidest);
}

std::size_t longest_of(const std::vector<std::string>& names) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, visible(name).size());
  return longest;
}

std::vector<std::string> names_of_lines(const Chart& chart) {
  std::vector<std::string> names;
  names.reserve(chart.lines.size());
  for (const ChartLine& line : chart.lines) names.push_back(line.name);
  return names;
}

/// Makes room for a key above the plot.
void make_room_for_key(Canvas& canvas, const Chart& chart) {
  std::size_t entry = kSample;
  for (const ChartLine& line : chart.lines)
    entry = std::max(entry, breadth_of(line.name) + kSample);
  canvas.width = std::max(canvas.width, std::min(entry + kBeside, kWidest));
  const std::size_t columns = std::max<std::size_t>(1, (canvas.width - kBeside) / entry);
  canvas.height += kLine * ((chart.lines.size() + columns - 1) / columns);
}

/// Names that do not fit side by side stand upright, which takes room below the plot.
void make_room_for_names(Canvas& canvas, const std::vector<std::string>& names) {
  const std::size_t longest = longest_of(names);
  canvas.upright_names =
      !fit_side_by_side(longest, 1.0 / static_cast<double>(names.size()), canvas.width);
  if (!canvas.upright_names) return;
  canvas.width = std::max(canvas.width, kBeside + kLine * names.size());
  canvas.height += std::min(longest * kLetter, kWidest / 2);
}

/// Where a point is in its chart: 0 to 1 from the left, and from below.
struct Place {
  double along;
  double up;
};

double share_of(double value, const ChartAxis& axis) {
  const auto position = [&](double drawn) { return axis.logarithmic ? std::log(drawn) : drawn; };
  const double low = position(axis.range->low);
  return (position(value * axis.factor) - low) / (position(axis.range->high) - low);
}

std::vector<std::pair<const ChartPoint*, Place>> places_of(const Chart& chart) {
  std::vector<std::pair<const ChartPoint*, Place>> places;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points)
      if (point.y)
        places.emplace_back(&point, Place{share_of(point.x, chart.x), share_of(*point.y, chart.y)});
  return places;
}

}  // namespace

bool has_key(const Chart& chart) {
  return !chart.x.names_lines && (chart.lines.size() > 1 || chart.names_single);
}

bool fit_side_by_side(std::size_t letters, double apart, std::size_t width) {
  constexpr double kLettersOfAxis = 44;  // in a chart of 420 pixels, or more
  constexpr double kNarrowest = 330;     // the axis of such a chart
  const auto axis = static_cast<double>(width - std::min(width, kBeside));
  const double letters_of_axis = kLettersOfAxis * std::min(1.0, axis / kNarrowest);
  return static_cast<double>(letters + 1) <= letters_of_axis * apart;
}

bool points_meet(const Chart& chart) {
  std::map<double, std::vector<statistics::Interval>> known;  // of the lines before
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points) {
      if (!point.y) continue;
      std::vector<statistics::Interval>& others = known[point.x];
      const statistics::Interval here =
          point.y_interval.value_or(statistics::Interval{*point.y, *point.y});
      if (std::any_of(others.begin(), others.end(), [&](const statistics::Interval& other) {
            return other.low <= here.high && here.low <= other.high;
          }))
        return true;
      others.push_back(here);
    }
  return false;
}

std::vector<std::string> lines_below(const Chart& chart) {
  std::vector<std::string> lines;
  if (!chart.x.names_lines) lines.push_back(chart.x.title);
  lines.insert(lines.end(), chart.notes.begin(), chart.notes.end());
  return lines;
}

std::vector<std::string> names_along_x(const Chart& chart) {
  return chart.x.names_lines ? names_of_lines(chart) : chart.x.categories;
}

Canvas canvas_of(const Chart& chart, const Canvas& smallest) {
  Canvas canvas = smallest;
  const std::size_t plot = canvas.height - kBelow;
  std::vector<std::string> across = lines_below(chart);
  if (!chart.panel.empty()) across.push_back(chart.panel);
  for (const std::string& line : across) canvas.width = std::max(canvas.width, breadth_of(line));
  canvas.height += kLine * (chart.notes.size() + (chart.panel.empty() ? 0 : 1));
  // The title of y stands upright beside the plot.
  canvas.height += std::max(breadth_of(chart.y.title), plot) - plot;
  const std::vector<std::string> names = names_along_x(chart);
  if (!names.empty()) make_room_for_names(canvas, names);
  if (has_key(chart)) make_room_for_key(canvas, chart);
  return canvas;
}

std::vector<PointLabel> labels_of(const Chart& chart) {
  constexpr std::size_t kMostLabels = 12;  // of one line
  constexpr Place kRoom{0.09, 0.06};       // of a label, as shares of the plot
  if (!chart.x.range || !chart.y.range) return {};
  const auto places = places_of(chart);
  std::vector<Place> taken;  // the middles of labels
  std::vector<PointLabel> labels;
  const auto is_free = [&](const Place& label) {
    const auto is_apart = [&](const Place& other, double share) {
      return std::fabs(other.along - label.along) >= share * kRoom.along ||
             std::fabs(other.up - label.up) >= share * kRoom.up;
    };
    return std::ranges::all_of(taken, [&](const Place& o) { return is_apart(o, 1.0); }) &&
           std::ranges::all_of(places, [&](const auto& o) { return is_apart(o.second, 0.5); });
  };
  const auto add = [&](const ChartPoint& point) {
    for (const bool below : {false, true})
      for (const bool left : {false, true}) {
        const Place label{share_of(point.x, chart.x) + (left ? -0.55 : 0.55) * kRoom.along,
                          share_of(*point.y, chart.y) + (below ? -0.75 : 0.75) * kRoom.up};
        if (label.up < kRoom.up / 2 || !is_free(label)) continue;
        taken.push_back(label);
        labels.push_back({&point, left, below});
        return;
      }
  };
  for (const ChartLine& line : chart.lines)
    if (line.points.size() >= 2 && line.points.size() <= kMostLabels)
      for (const ChartPoint& point : line.points)
        if (point.y && !point.of.empty()) add(point);
  return labels;
}

}  // namespace faultline::drawing
