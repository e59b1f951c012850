// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/chart.hpp"

#include <algorithm>

#include "sim/json/json_value.hpp"

namespace faultline::drawing {

namespace {

using Record = std::vector<std::string>;

std::string text_of(const std::optional<double>& value) {
  return value ? json::shortest(*value) : "";
}

void append_interval(Record& record, const std::optional<statistics::Interval>& interval) {
  record.push_back(interval ? json::shortest(interval->low) : "");
  record.push_back(interval ? json::shortest(interval->high) : "");
}

Record header_of(const Chart& chart) {
  switch (chart.kind) {
    case ChartKind::curves:
      return {"line", chart.x.name, "runs", chart.y.name, "low", "high"};
    case ChartKind::boxes:
      return {"line",   chart.x.name, "runs",         "min", "whisker_low", "quartile_1",
              "median", "quartile_3", "whisker_high", "max", "mean"};
    case ChartKind::plane:
      return {"line",
              chart.points_of,
              "runs",
              chart.x.name,
              chart.x.name + "_low",
              chart.x.name + "_high",
              chart.y.name,
              "low",
              "high"};
  }
  return {};
}

/// What stands at a place along x: its category or its number.
std::string place_text(const ChartAxis& axis, double x) {
  if (axis.categories.empty()) return json::shortest(x);
  return axis.categories.at(static_cast<std::size_t>(x) - 1);
}

Record record_of(const Chart& chart, const ChartLine& line, const ChartPoint& point) {
  Record record = {line.name};
  record.push_back(chart.kind == ChartKind::plane ? point.of : place_text(chart.x, point.x));
  record.push_back(std::to_string(point.runs));
  if (chart.kind == ChartKind::plane) {
    record.push_back(json::shortest(point.x));
    append_interval(record, point.x_interval);
  }
  if (chart.kind == ChartKind::boxes) {
    const auto& box = point.box;
    for (const auto part : {&statistics::Boxplot::min, &statistics::Boxplot::whisker_low,
                            &statistics::Boxplot::quartile_1, &statistics::Boxplot::median,
                            &statistics::Boxplot::quartile_3, &statistics::Boxplot::whisker_high,
                            &statistics::Boxplot::max})
      record.push_back(box ? json::shortest((*box).*part) : "");
    record.push_back(text_of(point.y));
  } else {
    record.push_back(text_of(point.y));
    append_interval(record, point.y_interval);
  }
  return record;
}

/// The header for people, with the headings that were given instead of names.
void show_headings(Record& header, const Chart& chart) {
  const auto show = [&](std::size_t column, const std::string& heading, const char* end = "") {
    if (!heading.empty()) header.at(column) = heading + end;
  };
  if (chart.kind == ChartKind::plane) {
    show(1, chart.points_heading);
    show(3, chart.x.heading);
    show(4, chart.x.heading, ", low");
    show(5, chart.x.heading, ", high");
    show(6, chart.y.heading);
    return;
  }
  show(1, chart.x.heading);
  if (chart.kind == ChartKind::curves) show(3, chart.y.heading);
}

}  // namespace

bool has_bounds(const Chart& chart) {
  return std::any_of(chart.lines.begin(), chart.lines.end(), [](const ChartLine& line) {
    return std::any_of(line.points.begin(), line.points.end(), [](const ChartPoint& point) {
      return point.bound != statistics::MeanBound::exact;
    });
  });
}

std::vector<std::vector<std::string>> chart_rows(const Chart& chart) {
  const bool bounded = has_bounds(chart);
  std::vector<Record> rows = {header_of(chart)};
  if (bounded) rows.front().emplace_back("bound");
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points) {
      rows.push_back(record_of(chart, line, point));
      if (bounded) rows.back().emplace_back(statistics::bound_word(point.bound));
    }
  return rows;
}

HtmlTable chart_table(const Chart& chart) {
  auto rows = chart_rows(chart);
  show_headings(rows.front(), chart);
  if (chart.x.names_lines)
    for (Record& row : rows) row.erase(row.begin() + 1);
  return numbers_table(escaped(chart.title), rows);
}

}  // namespace faultline::drawing
