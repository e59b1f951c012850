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
constexpr std::size_t kSample = 40;     // a line sample of the key, with the gaps around it
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

/// Converts between the values of an axis and pixels.
class Scale {
 public:
  Scale(const ChartAxis& axis, std::size_t pixels)
      : factor_(axis.factor),
        logarithmic_(axis.logarithmic),
        low_(position(axis.range->low)),
        per_pixel_((position(axis.range->high) - low_) / static_cast<double>(pixels)) {}

  /// The pixel at which a value of a point is drawn.
  [[nodiscard]] double pixel(double value) const {
    return (position(value * factor_) - low_) / per_pixel_;
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
  double low_;
  double per_pixel_;
};

/// The first place beside a point where a label fits into the plot and overlaps no other box.
std::optional<Box> free_box(double x, double y, double width, const Box& plot,
                            const std::vector<Box>& taken) {
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
    if (inside && std::none_of(taken.begin(), taken.end(),
                               [&](const Box& other) { return overlap(box, other); }))
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
  for (const std::string& note : chart.notes) {
    widen_for(visible(note).size() * kLetter);
    canvas.height += kLine;
  }
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
  std::vector<PlacedLabel> labels;
  for (const ChartLine& line : chart.lines) {
    if (line.points.size() < 2 || line.points.size() > kMostLabels) continue;
    for (const ChartPoint& point : line.points) {
      if (!point.y || point.of.empty()) continue;
      const double letters = static_cast<double>(visible(point.of).size());
      const auto box = free_box(along.pixel(point.x), up.pixel(*point.y),
                                kSmallLetter * letters + 4, plot, taken);
      if (!box) continue;
      taken.push_back(*box);
      labels.push_back(
          {point.of, along.drawn(box->left + 2), up.drawn((box->low + box->high) / 2)});
    }
  }
  return labels;
}

}  // namespace faultline
