// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/step_model_figure.hpp"

#include <algorithm>
#include <map>

#include "analysis/drawing/gnuplot.hpp"
#include "analysis/drawing/tics.hpp"
#include "analysis/statistics/summary.hpp"
#include "analysis/text/text_table.hpp"
#include "analysis/theory/step_model_report.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

namespace {

const StepModelMeasure& model_of(const ReproductionItem& item, std::size_t measure) {
  return std::get<StepModelMeasure>(item.measures[measure].how);
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
    text.append(line_style_at(i)).append(" title '").append(names[i]).append("'");
  }
  return text + "\n";
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

}  // namespace faultline
