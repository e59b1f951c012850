// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/step_model_measure.hpp"

#include <catch2/catch.hpp>

#include "analysis/reproduction/figure.hpp"
#include "analysis/reproduction/verdicts.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline::reproduction {

using Catch::Contains;

namespace {

const StepModelTree kTree = {.preset = "small",
                             .seed = 2269,
                             .mapping = "random",
                             .rules = theory::StepRules::resolved,
                             .fewest_processes = 2,
                             .most_processes = 5};

StepModelMeasure measure_of(const StepModelTree& tree) {
  StepModelMeasure measure;
  measure.preset = tree.preset;
  measure.tree_seeds = {tree.seed, 317};
  measure.mapping = tree.mapping;
  measure.rules = tree.rules;
  measure.fewest_processes = tree.fewest_processes;
  measure.most_processes = tree.most_processes;
  return measure;
}

}  // namespace

TEST_CASE("the counts of a tree are those of the step model for each activity and process") {
  StepModelCounts counts;
  const auto& counted = counts.on_tree(kTree);
  Stream random = workloads::task_tree_stream(kTree.seed, 0);
  const TaskTree tree =
      workloads::random_task_tree(*workloads::task_tree_preset(kTree.preset), random);
  REQUIRE(counted.size() == 4);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const auto processes = static_cast<std::uint32_t>(2 + i);
    CHECK(counted[i].processes == processes);
    const auto ranks = workloads::random_ranks(
        tree.tasks(), processes, workloads::task_mapping_stream(kTree.seed, processes));
    for (std::size_t activity = 0; activity < kStepActivities.size(); ++activity)
      CHECK(counted[i].by_activity[activity] ==
            theory::count_control_messages({processes, kStepActivities[activity], kTree.rules},
                                           tree, ranks));
  }
}

TEST_CASE("a tree is counted once, whoever asks, and anew if anything differs") {
  StepModelCounts counts;
  const auto* first = &counts.on_tree(kTree);
  StepModelTree literal = kTree;
  literal.rules = theory::StepRules::literal;
  StepModelTree round_robin = kTree;
  round_robin.mapping = "round-robin";
  StepModelTree longer = kTree;
  longer.most_processes = 6;
  CHECK(&counts.on_tree(literal) != first);
  CHECK(&counts.on_tree(round_robin) != first);
  CHECK(counts.on_tree(longer).size() == 5);
  CHECK(&counts.on_tree(kTree) == first);
}

TEST_CASE("all panels of a step model have one axis, for the means of trees that are above 0") {
  ItemResult result;
  result.item.measures.push_back({"m", measure_of(kTree)});
  result.item.curves = {0};
  Measured& measured = result.measured.emplace_back();
  for (const std::uint64_t hcda : {std::uint64_t{0}, std::uint64_t{40}}) {
    ProcessCounts here;
    here.processes = 2;
    here.by_activity[0].hcda = hcda;
    here.by_activity[2].cda = 2;
    measured.trees.push_back({hcda, {here}});
  }
  const FigurePanels panels = figure_panels(result);
  CHECK(panels.columns == 3);
  REQUIRE(panels.charts.size() == 3);
  for (const drawing::Chart& chart : panels.charts) {
    CHECK(chart.y.logarithmic);
    CHECK(chart.y.range->low == Approx(0.8));  // means of 10 and 1 for a process
    CHECK(chart.y.range->high == Approx(12.5));
  }
  CHECK(panels.charts[0].lines.at(2).points.at(0).y == 10.0);
  // Nothing was counted: the line leaves the panel.
  CHECK(panels.charts[0].lines.at(0).points.at(0).y < 1e-6);
}

TEST_CASE("what a figure draws are the counts that its cells are judged by") {
  StepModelCounts counts;
  ItemResult result;
  result.item.measures.push_back({"m", measure_of(kTree)});
  result.item.curves = {0};
  result.measured.push_back(measure_step_model(measure_of(kTree), {}, counts));
  const Measured& measured = result.measured[0];
  CHECK(measured.estimates.size() == 3);
  REQUIRE(measured.trees.size() == 2);
  CHECK(measured.trees[1].seed == 317);
  const FigureRows rows = figure_rows(result);
  CHECK(rows.size() == 1 + 2 * 4 * 3);
  const theory::ControlMessageCounts& local = measured.trees[0].counts[0].by_activity[1];
  CHECK(rows[2] == std::vector<std::string>{"random", "local", "2", "2269",
                                            std::to_string(local.four_counter),
                                            std::to_string(local.edod), std::to_string(local.hcda),
                                            std::to_string(local.cda)});
  double ratios = 0;
  for (const TreeCounts& tree : measured.trees)
    for (const ProcessCounts& here : tree.counts)
      for (const theory::ControlMessageCounts& messages : here.by_activity)
        ratios += static_cast<double>(messages.hcda) / static_cast<double>(messages.cda);
  const EstimateKey hcda{Family::termination, "hcda", kStepModelFigure};
  CHECK(*measured.estimates.at(hcda).value == Approx(ratios / (2 * 4 * 3)));
  CHECK(measure_step_model(measure_of(kTree), {.quick = true}, counts).trees.size() == 1);
}

}  // namespace faultline::reproduction
