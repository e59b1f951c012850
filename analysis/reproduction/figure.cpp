#include "analysis/reproduction/figure.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/chart_canvas.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "analysis/drawing/tics.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/statistics/summary.hpp"
#include "analysis/text/text_table.hpp"
#include "analysis/theory/step_model_report.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

namespace {

constexpr std::size_t kPanelWidth = 420;
constexpr double kBesidePoints = 0.8;  // of a logarithmic axis, at both ends

const StepModelMeasure& model_of(const ReproductionItem& item, std::size_t measure) {
  return std::get<StepModelMeasure>(item.measures[measure].how);
}

const SeriesMeasure& series_of(const ReproductionItem& item, std::size_t measure) {
  return std::get<SeriesMeasure>(item.measures[measure].how);
}

bool draws_series(const ReproductionItem& item) {
  return std::holds_alternative<SeriesMeasure>(item.measures[item.curves.front()].how);
}

/// Are the series of an item drawn as ratios? Either all of them are, or none.
bool draws_ratios(const ReproductionItem& item) {
  return !series_of(item, item.curves.front()).drawn_relative_to.empty();
}

/// The name of the CSV's column of protocols. All series of a figure are of one family.
std::string protocol_column(const ReproductionItem& item) {
  return protocol_word(series_of(item, item.curves.front()).family);
}

/// The last part of the path that the axis shows.
std::string over_of(const ReproductionItem& item) {
  const std::string& path = series_of(item, item.curves.front()).over;
  return path.substr(path.rfind('.') + 1);
}

/// The lines of the CSV for one tree and one number of processes: one for each activity.
void append_counts(const std::string& mapping, std::uint64_t seed, const ProcessCounts& here,
                   FigureRows& rows) {
  const std::vector<std::string> activities = step_activity_words();
  for (std::size_t i = 0; i < activities.size(); ++i) {
    const ControlMessageCounts& counts = here.by_activity.at(i);
    rows.push_back({mapping, activities[i], std::to_string(here.processes), std::to_string(seed),
                    std::to_string(counts.four_counter), std::to_string(counts.edod),
                    std::to_string(counts.hcda), std::to_string(counts.cda)});
  }
}

/// Colour and dash of the detector that a figure names at this place.
std::string line_style(std::size_t place) {
  return " lt " + std::to_string(line_type_at(place)) + " dt " + std::to_string(dash_at(place));
}

/// The y axis that all panels of step models share, so that they can be compared: the control
/// messages per process, averaged over the trees, that are above 0.
std::string step_model_axis(const FigureRows& rows) {
  constexpr std::size_t kProcesses = 2;
  constexpr std::size_t kFirstCount = 4;
  std::map<std::vector<std::string>, std::vector<double>> over_trees;
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (std::size_t column = kFirstCount; column < rows[i].size(); ++column)
      over_trees[{rows[i][0], rows[i][1], rows[i][kProcesses], std::to_string(column)}].push_back(
          std::stod(rows[i][column]) / std::stod(rows[i][kProcesses]));
  std::vector<double> means;
  means.reserve(over_trees.size());
  for (const auto& [place, counts] : over_trees) means.push_back(*summarize(counts).mean);
  std::erase_if(means, [](double mean) { return mean <= 0.0; });
  if (means.empty()) means.push_back(1.0);
  const auto [least, greatest] = std::minmax_element(means.begin(), means.end());
  const Interval range{*least / 1.25, *greatest * 1.25};
  const Tics tics = logarithmic_tics(range);
  return "set logscale y\nset yrange [" + shortest(range.low) + ":" + shortest(range.high) +
         "]\nset ytics " + tic_list(tics, minor_tics(range, tics)) + "\n";
}

/// One panel of step models: the CSV's rows of this mapping and activity, averaged over trees. A
/// count of 0 has no place on a logarithmic axis; its line leaves the panel at the lower edge,
/// instead of breaking off as if nothing had been counted.
std::string panel(const std::string& stem, const std::string& mapping,
                  const std::string& activity) {
  const std::string here = "(strcol(1) eq '" + mapping + "' && strcol(2) eq '" + activity + "' ? ";
  std::string text = "set title '" + mapping + ", S_{" + activity + "}'\nplot ";
  const char* const names[] = {"4C", "EDOD", "HCDA", "CDA"};
  for (std::size_t i = 0; i < 4; ++i) {
    text.append(i == 0 ? "" : ", \\\n  ").append("'").append(stem).append(".csv' using ");
    const std::string count = "$" + std::to_string(i + 5);
    text.append(here).append("$3 : NaN):").append(here).append("(").append(count).append(" > 0 ? ");
    text.append(count).append(" : 1e-9)/$3 : NaN) smooth unique with lines");
    text.append(line_style(i)).append(" title '").append(names[i]).append("'");
  }
  return text + "\n";
}

FigureRows step_model_rows(const ItemResult& result) {
  FigureRows rows = {
      {"mapping", "activity", "processes", "tree_seed", "four-counter", "edod", "hcda", "cda"}};
  for (const std::size_t curve : result.item.curves)
    for (const TreeCounts& tree : result.measured[curve].trees)
      for (const ProcessCounts& here : tree.counts)
        append_counts(model_of(result.item, curve).mapping, tree.seed, here, rows);
  return rows;
}

std::string step_model_script(const ReproductionItem& item, const FigureRows& rows,
                              const std::string& stem) {
  std::string text = gnuplot_head(stem, 1200, 700) + step_model_axis(rows) +
                     "set xlabel 'processes'\n"
                     "set ylabel 'control messages per process'\nset multiplot layout " +
                     std::to_string(item.curves.size()) + ",3\n";
  for (const std::size_t curve : item.curves)
    for (const std::string& activity : step_activity_words())
      text += panel(stem, model_of(item, curve).mapping, activity);
  return text + "unset multiplot\n";
}

/// The endings of the five metrics that make one box.
constexpr const char* kBoxParts[] = {"_min", "_quartile_1", "_median", "_quartile_3", "_max"};

/// The metrics that a series draws. Five that describe the spread over the ranks of a run make one
/// box.
std::vector<std::string> drawn_metrics(const SeriesMeasure& series) {
  std::vector<std::string> drawn = series.metrics;
  if (!series.drawn_relative_to.empty()) return drawn;
  for (const std::string& metric : series.metrics) {
    if (!metric.ends_with(kBoxParts[0])) continue;
    const std::string name = metric.substr(0, metric.size() - std::string(kBoxParts[0]).size());
    const auto is_part = [&](const std::string& other) {
      return std::any_of(std::begin(kBoxParts), std::end(kBoxParts),
                         [&](const char* part) { return other == name + part; });
    };
    if (std::count_if(drawn.begin(), drawn.end(), is_part) != std::ssize(kBoxParts)) continue;
    std::erase_if(drawn, is_part);
    drawn.push_back(name);
  }
  return drawn;
}

/// The samples of one detector at one point, by metric.
using MetricSamples = std::map<std::string, std::vector<double>>;

/// The box of a metric: over runs, or, if five metrics describe its spread, over ranks. The latter
/// has the means of the runs, and whiskers that reach the extremes.
Boxplot box_of(const MetricSamples& samples, const std::string& metric) {
  const auto found = samples.find(metric);
  if (found != samples.end()) return boxplot(found->second);
  const auto mean = [&](std::size_t part) {
    return *summarize(samples.at(metric + kBoxParts[part])).mean;
  };
  return {.min = mean(0),
          .whisker_low = mean(0),
          .quartile_1 = mean(1),
          .median = mean(2),
          .quartile_3 = mean(3),
          .whisker_high = mean(4),
          .max = mean(4)};
}

/// One line of the CSV. The mean of a box over ranks is not known.
std::vector<std::string> box_record(const MetricSamples& samples, const std::string& metric) {
  const Boxplot box = box_of(samples, metric);
  const auto found = samples.find(metric);
  return {std::to_string(samples.begin()->second.size()),
          shortest(box.min),
          shortest(box.whisker_low),
          shortest(box.quartile_1),
          shortest(box.median),
          shortest(box.quartile_3),
          shortest(box.whisker_high),
          shortest(box.max),
          found == samples.end() ? "" : shortest(*summarize(found->second).mean)};
}

/// A detector's mean at a point, divided by that of the detector that the series is drawn relative
/// to.
Estimate ratio_at(const SeriesMeasure& series, const SeriesPoint& point,
                  const std::string& detector, const std::string& metric) {
  return estimate_ratio_of_means(point.samples.at(detector).at(metric),
                                 point.samples.at(series.drawn_relative_to).at(metric));
}

/// One line of the CSV. A single run gives no interval.
std::vector<std::string> ratio_record(const SeriesMeasure& series, const SeriesPoint& point,
                                      const std::string& detector, const std::string& metric) {
  const Estimate ratio = ratio_at(series, point, detector, metric);
  const auto& interval = ratio.confidence_99;
  return {std::to_string(point.samples.at(detector).at(metric).size()), shortest(*ratio.value),
          interval ? shortest(interval->low) : "", interval ? shortest(interval->high) : ""};
}

FigureRows ratio_rows(const ItemResult& result) {
  const ReproductionItem& item = result.item;
  FigureRows rows = {{"series", "metric", protocol_column(item), over_of(item), "runs", "ratio",
                      "low_99", "high_99"}};
  for (const std::size_t curve : item.curves) {
    const SeriesMeasure& series = series_of(item, curve);
    for (const SeriesPoint& point : result.measured[curve].points)
      for (const auto& [detector, samples] : point.samples) {
        if (detector == series.drawn_relative_to) continue;
        for (const std::string& metric : series.metrics) {
          std::vector<std::string> record = {item.measures[curve].name, metric, detector,
                                             shortest(point.at)};
          const auto ratio = ratio_record(series, point, detector, metric);
          record.insert(record.end(), ratio.begin(), ratio.end());
          rows.push_back(std::move(record));
        }
      }
  }
  return rows;
}

FigureRows series_rows(const ItemResult& result) {
  const ReproductionItem& item = result.item;
  FigureRows rows = {{"series", "metric", protocol_column(item), over_of(item), "runs", "min",
                      "whisker_low", "quartile_1", "median", "quartile_3", "whisker_high", "max",
                      "mean"}};
  for (const std::size_t curve : item.curves)
    for (const SeriesPoint& point : result.measured[curve].points)
      for (const auto& [detector, samples] : point.samples)
        for (const std::string& metric : drawn_metrics(series_of(item, curve))) {
          std::vector<std::string> record = {item.measures[curve].name, metric, detector,
                                             shortest(point.at)};
          const auto box = box_record(samples, metric);
          record.insert(record.end(), box.begin(), box.end());
          rows.push_back(std::move(record));
        }
  return rows;
}

/// The paper's name for a detector.
std::string paper_name(const std::string& detector) {
  if (detector == "four-counter") return "4C";
  std::string name = detector;
  for (char& letter : name)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return name;
}

/// The largest value of a metric in all panels, which have one unit so that they can be compared.
double largest_of(const ItemResult& result, const std::string& metric) {
  double largest = 0.0;
  for (const std::size_t curve : result.item.curves) {
    const auto metrics = drawn_metrics(series_of(result.item, curve));
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) continue;
    for (const SeriesPoint& point : result.measured[curve].points)
      for (const auto& [detector, samples] : point.samples)
        largest = std::max(largest, box_of(samples, metric).max);
  }
  return largest;
}

/// The y axis of a panel. It is logarithmic unless a sample reaches 0.
ChartAxis value_axis(const std::vector<SeriesPoint>& points, const std::string& metric,
                     double largest) {
  double min = std::numeric_limits<double>::infinity();
  double max = 0.0;
  for (const SeriesPoint& point : points)
    for (const auto& [detector, metrics] : point.samples) {
      const Boxplot box = box_of(metrics, metric);
      min = std::min(min, box.min);
      max = std::max(max, box.max);
    }
  ChartAxis axis;
  axis.name = metric;
  choose_unit(axis, largest);
  axis.logarithmic = !is_between_0_and_1(metric_type(metric)) && min > 0.0;
  Interval range{-0.04, 1.04};
  if (axis.logarithmic)
    range = {min / 1.25 * axis.factor, max * 1.25 * axis.factor};
  else if (!is_between_0_and_1(metric_type(metric)) && max > 0.0)
    range = {-0.04 * max * axis.factor, 1.1 * max * axis.factor};
  axis.tics = axis.logarithmic ? logarithmic_tics(range) : linear_tics(range);
  if (axis.logarithmic) axis.minor_tics = minor_tics(range, axis.tics);
  axis.range = range;
  return axis;
}

std::string axis_script(const ChartAxis& axis) {
  return std::string(axis.logarithmic ? "set" : "unset") + " logscale y\nset yrange [" +
         shortest(axis.range->low) + ":" + shortest(axis.range->high) + "]\nset ytics " +
         tic_list(axis.tics, axis.minor_tics) + "\n";
}

/// ":($8*1000):($7*1000)": columns of the block of numbers, in the unit that is drawn.
std::string in_unit(const ChartAxis& axis, const std::vector<std::size_t>& columns) {
  std::string text;
  for (const std::size_t column : columns)
    text += ":($" + std::to_string(column) + "*" + shortest(axis.factor) + ")";
  return text;
}

/// A detector of a panel.
struct DrawnDetector {
  std::string name;
  std::size_t place = 0;  ///< among all detectors of the figure
};

/// The detectors of some panels, each once, in the order in which the scenarios name them.
std::vector<std::string> detectors_of(const ItemResult& result) {
  std::vector<std::string> detectors;
  for (const std::size_t curve : result.item.curves)
    for (const std::string& name : result.measured[curve].points.front().detectors)
      if (std::find(detectors.begin(), detectors.end(), name) == detectors.end())
        detectors.push_back(name);
  return detectors;
}

/// Those of one panel, without the one that it is drawn relative to.
std::vector<DrawnDetector> detectors_at(const std::vector<std::string>& of_figure,
                                        const std::vector<SeriesPoint>& points,
                                        const std::string& relative_to) {
  std::vector<DrawnDetector> detectors;
  for (std::size_t place = 0; place < of_figure.size(); ++place)
    if (of_figure[place] != relative_to && points.front().samples.count(of_figure[place]) != 0)
      detectors.push_back({of_figure[place], place});
  return detectors;
}

/// The width of a detector's lane. Each has one, next to the place of the point on the logarithmic
/// axis.
double lane_width(const std::vector<SeriesPoint>& points, std::size_t detectors) {
  double gap = std::log(4.0);
  for (std::size_t i = 1; i < points.size(); ++i)
    gap = std::min(gap, std::log(points[i].at / points[i - 1].at));
  return 0.6 * gap / static_cast<double>(detectors);
}

/// Do the labels of the points, in a panel of the usual width, run into each other?
bool labels_collide(const std::vector<SeriesPoint>& points) {
  const double per_pixel = (std::log(points.back().at / points.front().at) + 2 * kBesidePoints) /
                           plot_breadth(kPanelWidth);
  double widest = 0;
  for (const SeriesPoint& point : points)
    widest = std::max(widest, breadth_of_tic(tic_text(point.at)));
  for (std::size_t i = 1; i < points.size(); ++i)
    if (std::log(points[i].at / points[i - 1].at) / per_pixel < widest) return true;
  return false;
}

/// The x axis of a panel, labelled at its points.
std::string point_axis(const std::vector<SeriesPoint>& points) {
  const std::string beside = shortest(kBesidePoints);
  std::string text = "set xrange [log(";
  text.append(shortest(points.front().at)).append(")-").append(beside).append(":log(");
  text.append(shortest(points.back().at)).append(")+").append(beside).append("]\nset xtics");
  text.append(labels_collide(points) ? kSlanted : " norotate").append(" (");
  for (std::size_t i = 0; i < points.size(); ++i) {
    text.append(i == 0 ? "" : ", ").append("'").append(tic_text(points[i].at));
    text.append("' log(").append(shortest(points[i].at)).append(")");
  }
  return text + ")\n";
}

/// What a script draws: the lines of the CSV, in which numbers stand for the names of series,
/// metrics and detectors, and the texts that it shows.
class Drawn {
 public:
  explicit Drawn(FigureRows rows) : rows_(std::move(rows)) {
    rows_.erase(rows_.begin());
    for (auto& row : rows_)
      for (std::size_t i = 0; i < kNames; ++i) row[i] = number_of(row[i]);
  }

  /// The gnuplot expression for the place on the axis of the lines of one series, metric and
  /// detector: `offset` beside their point.
  std::string lane(const std::string& series, const std::string& metric,
                   const std::string& detector, double offset) {
    return "($1 == " + number_of(series) + " && $2 == " + number_of(metric) +
           " && $3 == " + number_of(detector) + " ? log($4) + (" + fixed(offset, 4) + ") : NaN)";
  }

  std::string shown(const std::string& text) { return texts_.variable(text); }

  [[nodiscard]] std::string definitions() const {
    return texts_.definitions() + gnuplot_block("numbers", rows_);
  }

 private:
  static constexpr std::size_t kNames = 3;

  std::string number_of(const std::string& name) {
    return std::to_string(numbers_.emplace(name, numbers_.size() + 1).first->second);
  }

  FigureRows rows_;
  std::map<std::string, std::size_t> numbers_;
  GnuplotTexts texts_;
};

/// The offset of the lane of detector `i` of `detectors` from the point.
double lane_offset(double width, std::size_t i, std::size_t detectors) {
  return width * (static_cast<double>(i) - static_cast<double>(detectors - 1) / 2);
}

/// One panel of a series: the detectors' boxes side by side, and a line through their medians.
std::string box_panel(Drawn& drawn, const std::string& series, const ChartAxis& axis,
                      const std::vector<SeriesPoint>& points,
                      const std::vector<DrawnDetector>& detectors) {
  const double width = lane_width(points, detectors.size());
  std::string text = "set title " + drawn.shown(series) + " noenhanced\nset boxwidth " +
                     fixed(0.8 * width, 4) + "\nset ylabel " + drawn.shown(axis.title) +
                     " noenhanced\n" + axis_script(axis) + point_axis(points) + "plot ";
  for (std::size_t i = 0; i < detectors.size(); ++i) {
    const std::string place =
        drawn.lane(series, axis.name, detectors[i].name, lane_offset(width, i, detectors.size()));
    text.append(i == 0 ? "" : ", \\\n  ").append("$numbers using ").append(place);
    text.append(in_unit(axis, {8, 7, 11, 10}))
        .append(" with candlesticks whiskerbars fill transparent solid 0.3 lt ")
        .append(std::to_string(line_type_at(detectors[i].place)));
    text.append(" title ").append(drawn.shown(paper_name(detectors[i].name)));
    text.append(", \\\n  $numbers using ").append(place).append(in_unit(axis, {9}));
    text.append(" with linespoints");
    text.append(line_style(detectors[i].place)).append(" ps 0.5 notitle");
  }
  return text + "\n";
}

/// The y axis of a panel of ratios, which shows the ratio 1.
std::string ratio_axis(const SeriesMeasure& series, const std::string& metric,
                       const std::vector<SeriesPoint>& points,
                       const std::vector<DrawnDetector>& detectors) {
  Interval range{1.0, 1.0};
  for (const SeriesPoint& point : points)
    for (const DrawnDetector& detector : detectors) {
      const Estimate ratio = ratio_at(series, point, detector.name, metric);
      const Interval drawn = ratio.confidence_99.value_or(Interval{*ratio.value, *ratio.value});
      range = {std::min(range.low, drawn.low), std::max(range.high, drawn.high)};
    }
  const double margin = range.high > range.low ? 0.05 * (range.high - range.low) : 0.05;
  range = {range.low - margin, range.high + margin};
  return "set yrange [" + shortest(range.low) + ":" + shortest(range.high) + "]\nset ytics " +
         tic_list(linear_tics(range)) + "\n";
}

/// One panel of ratios: a point for each detector, with whiskers for its 99 % interval. The drawing
/// has `pixels` along x.
std::string ratio_panel(Drawn& drawn, const std::string& name, const SeriesMeasure& series,
                        const std::string& metric, const std::vector<SeriesPoint>& points,
                        const std::vector<DrawnDetector>& detectors, std::size_t pixels) {
  const double width = lane_width(points, detectors.size());
  std::string text = "set title " + drawn.shown(name) + " noenhanced\nset ylabel " +
                     drawn.shown(metric_title(metric)) + R"(."\n".)" +
                     drawn.shown("relative to " + paper_name(series.drawn_relative_to)) +
                     " noenhanced\n" + ratio_axis(series, metric, points, detectors) +
                     point_axis(points) + "plot 1 with lines lt -1 notitle";
  for (std::size_t i = 0; i < detectors.size(); ++i) {
    const std::string place =
        drawn.lane(name, metric, detectors[i].name, lane_offset(width, i, detectors.size()));
    const std::string type = " lt " + std::to_string(line_type_at(detectors[i].place));
    text.append(", \\\n  $numbers using ").append(place).append(":7:(0):($8 - $7) with ");
    text.append(interval_style(pixels)).append(type).append(" lw 2 notitle");
    text.append(", \\\n  $numbers using ").append(place).append(":6 with points");
    text.append(type).append(" title ").append(drawn.shown(paper_name(detectors[i].name)));
  }
  return text + "\n";
}

std::string series_script(const ItemResult& result, const FigureRows& figure,
                          const std::string& stem) {
  const ReproductionItem& item = result.item;
  // One metric: all series share a row, since a row for each would waste the width of the page.
  const std::size_t metrics = drawn_metrics(series_of(item, item.curves.front())).size();
  const bool one_row = metrics == 1 && item.curves.size() <= 3;
  const std::size_t rows = one_row ? 1 : item.curves.size();
  const std::size_t columns = one_row ? item.curves.size() : metrics;
  const std::vector<std::string> of_figure = detectors_of(result);
  Drawn drawn(figure);
  std::string text = "set xlabel " + drawn.shown(axis_title(over_of(item))) +
                     " noenhanced\nset multiplot layout " + std::to_string(rows) + "," +
                     std::to_string(columns) + "\n";
  for (const std::size_t curve : item.curves) {
    const SeriesMeasure& series = series_of(item, curve);
    const std::string& name = item.measures[curve].name;
    const auto& points = result.measured[curve].points;
    const auto detectors = detectors_at(of_figure, points, series.drawn_relative_to);
    for (const std::string& metric : drawn_metrics(series))
      text +=
          draws_ratios(item)
              ? ratio_panel(drawn, name, series, metric, points, detectors, kPanelWidth * columns)
              : box_panel(drawn, name, value_axis(points, metric, largest_of(result, metric)),
                          points, detectors);
  }
  return gnuplot_head(stem, kPanelWidth * columns, 40 + 330 * rows) + drawn.definitions() + text +
         "unset multiplot\n";
}

}  // namespace

FigureRows figure_rows(const ItemResult& result) {
  if (!draws_series(result.item)) return step_model_rows(result);
  return draws_ratios(result.item) ? ratio_rows(result) : series_rows(result);
}

std::string figure_script(const ItemResult& result, const FigureRows& rows,
                          const std::string& stem) {
  return draws_series(result.item) ? series_script(result, rows, stem)
                                   : step_model_script(result.item, rows, stem);
}

}  // namespace faultline
