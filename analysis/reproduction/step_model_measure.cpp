// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/step_model_measure.hpp"

#include <algorithm>

namespace faultline::reproduction {

namespace {

/// The mean ratios of the three other detectors to CDA, over processes and activities.
struct TreeRatios {
  double four_counter = 0.0;
  double edod = 0.0;
  double hcda = 0.0;
};

TreeRatios tree_ratios(const std::vector<ProcessCounts>& counts) {
  TreeRatios sum;
  double counted = 0;
  for (const ProcessCounts& here : counts)
    for (const theory::ControlMessageCounts& messages : here.by_activity) {
      const auto cda = static_cast<double>(messages.cda);
      sum.four_counter += static_cast<double>(messages.four_counter) / cda;
      sum.edod += static_cast<double>(messages.edod) / cda;
      sum.hcda += static_cast<double>(messages.hcda) / cda;
      ++counted;
    }
  return {sum.four_counter / counted, sum.edod / counted, sum.hcda / counted};
}

std::size_t trees_of(const StepModelMeasure& measure, const ReproductionSettings& settings) {
  const std::size_t all = measure.tree_seeds.size();
  return settings.quick ? std::min<std::size_t>(measure.quick_trees, all) : all;
}

double work_of_tree(const StepModelMeasure& measure) {
  return 1.0 + measure.most_processes - measure.fewest_processes;
}

}  // namespace

double work_of(const StepModelMeasure& measure, const ReproductionSettings& settings) {
  return static_cast<double>(trees_of(measure, settings)) * work_of_tree(measure);
}

Measured measure_step_model(const StepModelMeasure& measure, const ReproductionSettings& settings,
                            StepModelCounts& counts) {
  Measured measured;
  std::vector<double> four_counter;
  std::vector<double> edod;
  std::vector<double> hcda;
  for (std::size_t i = 0; i < trees_of(measure, settings); ++i) {
    const std::uint64_t seed = measure.tree_seeds[i];
    measured.trees.push_back({seed, counts.on_tree({.preset = measure.preset,
                                                    .seed = seed,
                                                    .mapping = measure.mapping,
                                                    .rules = measure.rules,
                                                    .fewest_processes = measure.fewest_processes,
                                                    .most_processes = measure.most_processes})});
    const TreeRatios ratios = tree_ratios(measured.trees.back().counts);
    four_counter.push_back(ratios.four_counter);
    edod.push_back(ratios.edod);
    hcda.push_back(ratios.hcda);
    if (settings.worked) settings.worked(work_of_tree(measure));
  }
  const auto estimate = [&](const char* detector) -> statistics::Estimate& {
    return measured.estimates[{Family::termination, detector, kStepModelFigure}];
  };
  estimate("four-counter") = statistics::estimate_mean(four_counter);
  estimate("edod") = statistics::estimate_mean(edod);
  estimate("hcda") = statistics::estimate_mean(hcda);
  return measured;
}

}  // namespace faultline::reproduction
