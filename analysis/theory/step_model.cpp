// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/step_model.hpp"

#include "analysis/theory/step_counts.hpp"

namespace faultline::theory {

ControlMessageCounts count_control_messages(const StepModel& model, const TaskTree& tree,
                                            const std::vector<Rank>& ranks) {
  TreeSteps steps(tree, ranks, model.processes, model.activity, model.rules);
  FourCounterCount four_counter(model.processes, model.rules);
  EdodCount edod(model.processes, model.rules);
  HcdaCount hcda(model.processes, model.rules, model.initial_credit, ranks[0]);
  CdaCount cda(model.processes, model.rules, model.initial_credit, ranks[0]);
  while (steps.next()) {
    four_counter.add(steps.step());
    edod.add(steps.step());
    hcda.add(steps.step());
    cda.add(steps.step());
  }
  return {.four_counter = four_counter.messages(),
          .edod = edod.messages(),
          .hcda = hcda.messages(),
          .cda = cda.messages()};
}

}  // namespace faultline::theory
