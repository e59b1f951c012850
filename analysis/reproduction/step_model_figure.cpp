// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/step_model_figure.hpp"

#include <map>
#include <utility>

#include "analysis/drawing/gnuplot.hpp"
#include "analysis/statistics/summary.hpp"
#include "analysis/theory/step_model_report.hpp"

namespace faultline::reproduction {

namespace {

const StepModelMeasure& model_of(const ReproductionItem& item, std::size_t measure) {
  return std::get<StepModelMeasure>(item.measures[measure].how);
}

/// The lines of the CSV for one tree and one number of processes: one for each activity.
void append_counts(const std::string& mapping, std::uint64_t seed, const ProcessCounts& here,
                   FigureRows& rows) {
  const std::vector<std::string> activities = theory::step_activity_words();
  for (std::size_t i = 0; i < activities.size(); ++i) {
    const theory::ControlMessageCounts& counts = here.by_activity.at(i);
    rows.push_back({mapping, activities[i], std::to_string(here.processes), std::to_string(seed),
                    std::to_string(counts.four_counter), std::to_string(counts.edod),
                    std::to_string(counts.hcda), std::to_string(counts.cda)});
  }
}

/// The control messages per process of one protocol, averaged over the trees, by processes.
drawing::ChartLine line_of(const std::vector<TreeCounts>& trees, std::size_t activity,
                           std::uint64_t theory::ControlMessageCounts::*count) {
  std::map<std::uint32_t, std::vector<double>> over_trees;
  for (const TreeCounts& tree : trees)
    for (const ProcessCounts& here : tree.counts)
      over_trees[here.processes].push_back(
          static_cast<double>(here.by_activity.at(activity).*count) /
          static_cast<double>(here.processes));
  drawing::ChartLine line;
  for (const auto& [processes, counts] : over_trees) {
    drawing::ChartPoint& point = line.points.emplace_back();
    point.x = processes;
    const double mean = *statistics::summarize(counts).mean;
    if (mean > 0) point.y = mean;
    point.runs = counts.size();
  }
  return line;
}

drawing::Chart panel_of(const StepModelMeasure& model, const std::vector<TreeCounts>& trees,
                        std::size_t activity) {
  drawing::Chart chart;
  chart.panel = model.mapping + ", S " + theory::step_activity_words()[activity];
  chart.x.name = "processes";
  chart.x.scale = drawing::AxisScale::linear;
  chart.y.name = "control_messages_per_process";
  chart.y.scale = drawing::AxisScale::logarithmic;
  const std::pair<const char*, std::uint64_t theory::ControlMessageCounts::*> counts[] = {
      {"4C", &theory::ControlMessageCounts::four_counter},
      {"EDOD", &theory::ControlMessageCounts::edod},
      {"HCDA", &theory::ControlMessageCounts::hcda},
      {"CDA", &theory::ControlMessageCounts::cda}};
  for (const auto& [name, count] : counts) {
    drawing::ChartLine& line = chart.lines.emplace_back(line_of(trees, activity, count));
    line.name = name;
    line.line_type = drawing::line_type_at(chart.lines.size() - 1);
    line.dash = drawing::dash_at(chart.lines.size() - 1);
  }
  return chart;
}

/// A count of 0 has no place on a logarithmic axis: its line leaves the panel at the lower edge,
/// instead of breaking off as if nothing had been counted.
void lead_off_at_0(std::vector<drawing::Chart>& panels) {
  constexpr double kBelow = 1e-9;
  for (drawing::Chart& chart : panels)
    for (drawing::ChartLine& line : chart.lines)
      for (drawing::ChartPoint& point : line.points)
        if (!point.y) point.y = kBelow;
}

}  // namespace

FigureRows step_model_rows(const ItemResult& result) {
  FigureRows rows = {
      {"mapping", "activity", "processes", "tree_seed", "four-counter", "edod", "hcda", "cda"}};
  for (const std::size_t curve : result.item.curves)
    for (const TreeCounts& tree : result.measured[curve].trees)
      for (const ProcessCounts& here : tree.counts)
        append_counts(model_of(result.item, curve).mapping, tree.seed, here, rows);
  return rows;
}

FigurePanels step_model_panels(const ItemResult& result) {
  FigurePanels panels;
  panels.columns = theory::step_activity_words().size();
  for (const std::size_t curve : result.item.curves)
    for (std::size_t activity = 0; activity < panels.columns; ++activity)
      panels.charts.push_back(
          panel_of(model_of(result.item, curve), result.measured[curve].trees, activity));
  drawing::fit_axes(panels.charts);
  lead_off_at_0(panels.charts);
  return panels;
}

}  // namespace faultline::reproduction
