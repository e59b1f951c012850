// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/step_model_counts.hpp"

#include "workloads/random_task_tree.hpp"

namespace faultline::reproduction {

namespace {

std::vector<ProcessCounts> count(const StepModelTree& asked) {
  Stream random = workloads::task_tree_stream(asked.seed, 0);
  const TaskTree tree =
      workloads::random_task_tree(*workloads::task_tree_preset(asked.preset), random);
  std::vector<ProcessCounts> counts;
  counts.reserve(1 + asked.most_processes - asked.fewest_processes);
  for (std::uint32_t processes = asked.fewest_processes; processes <= asked.most_processes;
       ++processes) {
    const std::vector<Rank> ranks =
        asked.mapping == "random"
            ? workloads::random_ranks(tree.tasks(), processes,
                                      workloads::task_mapping_stream(asked.seed, processes))
            : workloads::round_robin_ranks(tree.tasks(), processes);
    ProcessCounts& here = counts.emplace_back();
    here.processes = processes;
    for (std::size_t i = 0; i < kStepActivities.size(); ++i)
      here.by_activity[i] =
          theory::count_control_messages({processes, kStepActivities[i], asked.rules}, tree, ranks);
  }
  return counts;
}

}  // namespace

const std::vector<ProcessCounts>& StepModelCounts::on_tree(const StepModelTree& tree) {
  const auto known = counted_.find(tree);
  return known != counted_.end() ? known->second
                                 : counted_.emplace(tree, count(tree)).first->second;
}

}  // namespace faultline::reproduction
