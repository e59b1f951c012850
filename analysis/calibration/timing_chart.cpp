// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibration/timing_chart.hpp"

#include <utility>

#include "analysis/calibration/measurements.hpp"
#include "analysis/drawing/gnuplot.hpp"

namespace faultline::calibration {

namespace {

/// All sizes would be a smear on paper.
constexpr double kStep = 1.5;

/// `place`: of the line among those that are named, from 0.
drawing::ChartLine& add_line(drawing::Chart& chart, const std::string& name, std::size_t place) {
  return chart.lines.emplace_back(drawing::ChartLine{.name = name,
                                                     .line_type = drawing::line_type_at(place),
                                                     .dash = drawing::dash_at(place),
                                                     .points = {}});
}

void add_point(drawing::ChartLine& line, double bytes, double time_s) {
  line.points.push_back({.x = bytes,
                         .y = time_s,
                         .x_interval = {},
                         .y_interval = {},
                         .box = {},
                         .outliers = {},
                         .of = {}});
}

}  // namespace

drawing::Chart timing_chart(const std::string& stem, const std::string& title,
                            const std::vector<Timing>& measured,
                            const std::function<double(double bytes)>& model) {
  drawing::Chart chart;
  chart.stem = stem;
  chart.title = title;
  chart.caption = " Medians of what was measured at some sizes, and the times of the machine.";
  chart.x.name = "bytes";
  chart.x.title = "message size [B]";
  chart.x.scale = drawing::AxisScale::logarithmic;
  chart.y.name = "half_round_trip_s";
  chart.y.scale = drawing::AxisScale::logarithmic;
  std::vector<Timing> timings = medians(measured);
  std::erase_if(timings, [](const Timing& timing) { return timing.bytes == 0; });
  timings = apart(timings, kStep);
  // The squares of the model lie below the dots of what was measured.
  drawing::ChartLine& modelled = add_line(chart, "modelled", 1);
  for (const Timing& timing : timings) {
    const auto bytes = static_cast<double>(timing.bytes);
    add_point(modelled, bytes, model(bytes));
  }
  drawing::ChartLine& seen = add_line(chart, "measured", 0);
  for (const Timing& timing : timings)
    add_point(seen, static_cast<double>(timing.bytes), timing.time_s);
  std::vector<drawing::Chart> one{std::move(chart)};
  drawing::fit_axes(one);
  return std::move(one.front());
}

}  // namespace faultline::calibration
