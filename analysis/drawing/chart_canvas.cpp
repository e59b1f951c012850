// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/chart_canvas.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/drawing/tics.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline {

namespace {

// Sizes in pixels of what gnuplot draws in the fonts of gnuplot_head, for the usual sans-serif
// fonts.
constexpr std::size_t kLetter = 8;
constexpr std::size_t kLine = 18;
constexpr std::size_t kTitle = 28;
constexpr std::size_t kBroadKey = 560;  // a drawing may become this wide for a broader key
constexpr std::size_t kSample = 48;     // a line sample of the key, with the gaps around it
constexpr std::size_t kBeside = 90;     // labels of the axis at the left, and the edge at the right
constexpr std::size_t kBelow = 70;      // the same for below and above the plot
constexpr std::size_t kWidest = 1200;

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

/// If the names do not fit side by side, slants them, which takes room below and at the left.
void make_room_for_names(Canvas& canvas, const std::vector<std::string>& names) {
  constexpr double kSlope = 0.5;  // a little less than the sine of the angle, since most letters
                                  // are narrower than kLetter
  constexpr double kCosine = 0.82;
  constexpr std::size_t kSlantedLine = 26;
  const std::size_t count = std::max<std::size_t>(1, names.size());
  const std::size_t length = std::min(longest_of(names) * kLetter, kWidest / 2);
  canvas.slanted = breadth_of_letters(longest_of(names)) >
                   plot_breadth(canvas.width) / static_cast<double>(count);
  if (!canvas.slanted) return;
  canvas.width = std::max(canvas.width, kBeside + kSlantedLine * count);
  const auto along = static_cast<std::size_t>(kCosine * static_cast<double>(length));
  const std::size_t half_place = (canvas.width - kBeside) / count / 2;
  if (along > half_place + kBeside) {
    canvas.left_margin = (along - half_place) / kLetter;
    canvas.width += along - half_place - kBeside;
  }
  const auto drop = static_cast<std::size_t>(kSlope * static_cast<double>(length));
  canvas.height += drop;
  canvas.below_names = drop + kLine;
}

struct Box {
  double left;
  double right;
  double low;
  double high;
};

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.low < b.high && b.low < a.high;
}

/// A straight part of a line, or an interval, in pixels.
struct Stroke {
  double from_x;
  double from_y;
  double to_x;
  double to_y;
};

bool crosses(const Stroke& stroke, const Box& box) {
  const auto [left, right] = std::minmax(stroke.from_x, stroke.to_x);
  const auto [low, high] = std::minmax(stroke.from_y, stroke.to_y);
  if (right <= box.left || left >= box.right || high <= box.low || low >= box.high) return false;
  // Are corners of the box on both sides of the stroke?
  const auto side = [&](double x, double y) {
    return (stroke.to_x - stroke.from_x) * (y - stroke.from_y) -
           (stroke.to_y - stroke.from_y) * (x - stroke.from_x);
  };
  const auto [least, greatest] = std::minmax({side(box.left, box.low), side(box.left, box.high),
                                              side(box.right, box.low), side(box.right, box.high)});
  return least < 0 && greatest > 0;
}

/// Converts between the values of an axis and pixels.
class Scale {
 public:
  Scale(const ChartAxis& axis, std::size_t pixels)
      : factor_(axis.factor),
        logarithmic_(axis.logarithmic),
        least_(axis.range->low),
        low_(position(axis.range->low)),
        per_pixel_((position(axis.range->high) - low_) / static_cast<double>(pixels)) {}

  /// The pixel at which a value of a point is drawn.
  [[nodiscard]] double pixel(double value) const {
    return (position(value * factor_) - low_) / per_pixel_;
  }
  /// The same for the end of an interval, which is drawn no further than the axis reaches down.
  [[nodiscard]] double pixel_of_end(double value) const {
    return (position(std::max(value * factor_, least_)) - low_) / per_pixel_;
  }
  /// The value at a pixel, in the unit that is drawn.
  [[nodiscard]] double drawn(double pixel) const {
    const double at = low_ + pixel * per_pixel_;
    return logarithmic_ ? std::pow(10.0, at) : at;
  }

 private:
  [[nodiscard]] double position(double drawn) const {
    return logarithmic_ ? std::log10(drawn) : drawn;
  }

  double factor_;
  bool logarithmic_;
  double least_;
  double low_;
  double per_pixel_;
};

/// The intervals of a plane and the lines between its points.
std::vector<Stroke> strokes_of(const Chart& chart, const Scale& along, const Scale& up) {
  std::vector<Stroke> strokes;
  for (const ChartLine& line : chart.lines) {
    const ChartPoint* before = nullptr;
    for (const ChartPoint& point : line.points) {
      if (!point.y) continue;
      const double x = along.pixel(point.x);
      const double y = up.pixel(*point.y);
      if (point.x_interval)
        strokes.push_back({along.pixel_of_end(point.x_interval->low), y,
                           along.pixel_of_end(point.x_interval->high), y});
      if (point.y_interval)
        strokes.push_back({x, up.pixel_of_end(point.y_interval->low), x,
                           up.pixel_of_end(point.y_interval->high)});
      if (before != nullptr && chart.in_order)
        strokes.push_back({along.pixel(before->x), up.pixel(*before->y), x, y});
      before = &point;
    }
  }
  return strokes;
}

/// The first place beside a point where a label fits into the plot, overlaps no other box and is
/// crossed by no stroke.
std::optional<Box> free_box(double x, double y, double width, const Box& plot,
                            const std::vector<Box>& taken, const std::vector<Stroke>& strokes) {
  constexpr double kHalf = 6;  // half the height of a letter
  const struct {
    double left;
    double middle;
  } places[] = {{6, 9},  {8, 0},           {-6 - width, 9}, {-width / 2, 13}, {-width / 2, -13},
                {6, -9}, {-6 - width, -9}, {-8 - width, 0}};
  for (const auto& place : places) {
    const double left = x + place.left;
    const double middle = y + place.middle;
    const Box box{left, left + width, middle - kHalf, middle + kHalf};
    const bool inside = box.left >= plot.left && box.right <= plot.right && box.low >= plot.low &&
                        box.high <= plot.high;
    if (inside &&
        std::none_of(taken.begin(), taken.end(),
                     [&](const Box& other) { return overlap(box, other); }) &&
        std::none_of(strokes.begin(), strokes.end(),
                     [&](const Stroke& stroke) { return crosses(stroke, box); }))
      return box;
  }
  return std::nullopt;
}

}  // namespace

double plot_breadth(std::size_t width) { return static_cast<double>(width - kBeside); }

bool points_meet(const Chart& chart) {
  std::map<double, std::vector<Interval>> known;  // of the lines before
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points) {
      if (!point.y) continue;
      std::vector<Interval>& others = known[point.x];
      const Interval here = point.y_interval.value_or(Interval{*point.y, *point.y});
      if (std::any_of(others.begin(), others.end(), [&](const Interval& other) {
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

Canvas canvas_of(const Chart& chart) {
  Canvas canvas;
  const auto widen_for = [&](std::size_t pixels) {
    canvas.width = std::max(canvas.width, std::min(pixels, kWidest));
  };
  if (!chart.panel.empty()) {
    widen_for(visible(chart.panel).size() * kLetter + kBeside);
    canvas.height += kTitle;
  }
  for (const std::string& line : lines_below(chart)) widen_for(visible(line).size() * kLetter);
  canvas.height += kLine * chart.notes.size();
  // The title of y stands upright beside the plot.
  const std::size_t upright = std::min(visible(chart.y.title).size() * kLetter, kWidest);
  const std::size_t plot = Canvas().height - kBelow;
  if (upright > plot) canvas.height += upright - plot;
  const std::vector<std::string> along = names_along_x(chart);
  const bool has_key = !chart.x.names_lines && chart.lines.size() > 1;
  if (!along.empty()) make_room_for_names(canvas, along);
  if (canvas.slanted) canvas.below_names += kLine * (lines_below(chart).size() + 1);
  if (!has_key) return canvas;
  const std::size_t entry = longest_of(names_of_lines(chart)) * kLetter + kSample;
  const std::size_t room = std::max(canvas.width, kBroadKey) - kBeside;
  canvas.key_columns = std::min(chart.lines.size(), std::max<std::size_t>(1, room / entry));
  widen_for(canvas.key_columns * entry + kBeside);
  canvas.height += kLine * ((chart.lines.size() + canvas.key_columns - 1) / canvas.key_columns);
  return canvas;
}

std::vector<PlacedLabel> labels_of(const Chart& chart) {
  constexpr std::size_t kMostLabels = 12;  // of one line
  constexpr double kHalfPoint = 5;
  constexpr double kSmallLetter = 6.5;
  if (!chart.x.range || !chart.y.range) return {};
  const Canvas canvas;
  const std::size_t width = canvas_of(chart).width - kBeside;
  const std::size_t height = canvas.height - kBelow;
  const Scale along(chart.x, width);
  const Scale up(chart.y, height);
  // gnuplot drops labels whose middle is above the plot.
  const Box plot{0, static_cast<double>(width), 0, static_cast<double>(height) + 6};
  std::vector<Box> taken;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points) {
      if (!point.y) continue;
      const double x = along.pixel(point.x);
      const double y = up.pixel(*point.y);
      taken.push_back({x - kHalfPoint, x + kHalfPoint, y - kHalfPoint, y + kHalfPoint});
    }
  const std::vector<Stroke> strokes = strokes_of(chart, along, up);
  std::vector<PlacedLabel> labels;
  for (const ChartLine& line : chart.lines) {
    if (line.points.size() < 2 || line.points.size() > kMostLabels) continue;
    for (const ChartPoint& point : line.points) {
      if (!point.y || point.of.empty()) continue;
      const double x = along.pixel(point.x);
      const double y = up.pixel(*point.y);
      const double breadth = kSmallLetter * static_cast<double>(visible(point.of).size()) + 4;
      auto box = free_box(x, y, breadth, plot, taken, strokes);
      if (!box) box = free_box(x, y, breadth, plot, taken, {});
      if (!box) continue;
      taken.push_back(*box);
      labels.push_back(
          {point.of, along.drawn(box->left + 2), up.drawn((box->low + box->high) / 2)});
    }
  }
  return labels;
}

}  // namespace faultline
