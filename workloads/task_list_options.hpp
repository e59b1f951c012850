// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/option_problem.hpp"
#include "sim/core/options.hpp"
#include "workloads/task_list.hpp"

namespace faultline::workloads {

/// Which tasks a workload has: one of the benchmarks of adoption-2013 section 7.2, and its size.
struct TaskListOptions {
  std::string preset = "n-queens";
  std::uint32_t board = 12;
  std::uint32_t cut_depth = 5;
  double node_compute_s = 1e-6;
  std::uint32_t tasks = 20000;
  double task_compute_s = 1e-3;
  std::uint64_t task_seed = 1;
};

/// Declares these options. `Options` inherits from TaskListOptions.
template <class Options>
OptionSet<Options> task_list_options() {
  // A member of the base class as one of `Options`.
  const auto member = []<class Member>(Member TaskListOptions::*of) {
    Member Options::*of_options = of;
    return of_options;
  };
  constexpr const char* kPaper = "adoption-2013 section 7.2";
  const auto seconds = [](const char* doc, const char* source) {
    return OptionNotes{.doc = doc, .unit = "s", .source = source, .minimum = 0, .maximum = 1e6};
  };
  return OptionSet<Options>()
      .option("preset", member(&TaskListOptions::preset),
              {.doc = "n-queens: the search tree of a board; hartree-fock, tensor-contraction: "
                      "independent tasks, drawn from an estimated distribution",
               .source = "adoption-2013 section 7.2; distributions: docs/workloads.md",
               .choices = {"n-queens", "hartree-fock", "tensor-contraction"}})
      .option(
          "board", member(&TaskListOptions::board),
          {.doc = "n-queens: rows of the board; its placements are counted before the first run "
                  "of a process, which takes 0.1 s for 14 rows and some seconds for 16",
           .source = kPaper,
           .minimum = 1,
           .maximum = 16})
      .option("cut_depth", member(&TaskListOptions::cut_depth),
              {.doc = "n-queens: s, the depth at which a task makes no more tasks and searches "
                      "sequentially",
               .source = kPaper,
               .minimum = 1,
               .maximum = 16})
      .option("node_compute_s", member(&TaskListOptions::node_compute_s),
              seconds("n-queens: time of one placement", "estimated: some hundred cycles"))
      .option("tasks", member(&TaskListOptions::tasks),
              {.doc = "hartree-fock, tensor-contraction: number of tasks",
               .source = "assumed",
               .minimum = 1,
               .maximum = 1e8})
      .option("task_compute_s", member(&TaskListOptions::task_compute_s),
              seconds("hartree-fock, tensor-contraction: mean time of a task, access to global "
                      "data included",
                      "estimated"))
      .option("task_seed", member(&TaskListOptions::task_seed),
              {.doc = "hartree-fock, tensor-contraction: draws the tasks, which are the same in "
                      "every replication, like a molecule"});
}

/// Problems of these options: a board cannot be cut below its last row.
std::vector<OptionProblem> task_list_problems(const TaskListOptions& options);

/// The tasks that these options describe.
TaskList list_of(const TaskListOptions& options);

}  // namespace faultline::workloads
