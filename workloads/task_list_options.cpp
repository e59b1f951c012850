// SPDX-License-Identifier: Apache-2.0
#include "workloads/task_list_options.hpp"

namespace faultline::workloads {

std::vector<OptionProblem> task_list_problems(const TaskListOptions& options) {
  if (options.preset != "n-queens" || options.cut_depth <= options.board) return {};
  return {
      {"cut_depth", "expected at most " + std::to_string(options.board) + ", the board's rows"}};
}

TaskList list_of(const TaskListOptions& options) {
  if (options.preset == "n-queens")
    return n_queens_list(options.board, options.cut_depth, options.node_compute_s);
  if (options.preset == "hartree-fock")
    return hartree_fock_list(options.tasks, options.task_compute_s, options.task_seed);
  return tensor_contraction_list(options.tasks, options.task_compute_s, options.task_seed);
}

}  // namespace faultline::workloads
