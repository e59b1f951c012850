// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <utility>

#include "workloads/bulk_program.hpp"

namespace faultline::workloads {

namespace {

struct TryBlocksOptions {
  std::uint64_t iterations = 1;
  std::uint64_t iterations_per_block = 1;
  double compute_s = 0.0;
  std::uint32_t allreduces = 0;
  std::uint64_t bytes = 8;
  std::uint64_t state_bytes = 0;
  bool needs_all_ranks = false;
  std::optional<std::uint64_t> checkpoint_iterations;
};

OptionSet<TryBlocksOptions> options() {
  using Options = TryBlocksOptions;
  constexpr double kMostIterations = 1e12;
  return OptionSet<Options>()
      .option("iterations", &Options::iterations,
              {.doc = "iterations of the program", .minimum = 1, .maximum = kMostIterations})
      .option("iterations_per_block", &Options::iterations_per_block,
              {.doc = "iterations in one TryBlock", .minimum = 1, .maximum = kMostIterations})
      .option("checkpoint_iterations", &Options::checkpoint_iterations, checkpoint_notes())
      .option("compute_s", &Options::compute_s,
              {.doc = "computation of a rank in an iteration",
               .unit = "s",
               .minimum = 0,
               .maximum = 1e6})
      .option("allreduces", &Options::allreduces,
              {.doc = "sums over all ranks in an iteration, after the computation",
               .minimum = 0,
               .maximum = 1000})
      .option("bytes", &Options::bytes, {.doc = "size of a message of a sum", .unit = "B"})
      .option("state_bytes", &Options::state_bytes,
              {.doc = "size of a rank's checkpoint", .unit = "B", .maximum = 1e12})
      .option("needs_all_ranks", &Options::needs_all_ranks,
              {.doc = "whether the program needs all of its ranks; if not, it can go on without "
                      "the dead, and without their data (`recovery` `shrink`)"});
}

Program program_of(const TryBlocksOptions& options, std::uint32_t processes) {
  using Kind = ProgramStep::Kind;
  Program program;
  program.iterations = options.iterations;
  program.iterations_per_block = options.iterations_per_block;
  program.checkpoint_iterations = options.checkpoint_iterations.value_or(0);
  program.processes = processes;
  program.state_bytes = options.state_bytes;
  program.steps.push_back({.kind = Kind::begin_try});
  program.steps.push_back({.kind = Kind::compute, .duration_s = options.compute_s});
  for (std::uint32_t sum = 0; sum < options.allreduces; ++sum)
    program.steps.push_back({.kind = Kind::allreduce, .bytes = options.bytes});
  program.steps.push_back({.kind = Kind::finish});
  program.steps.push_back({.kind = Kind::checkpoint});
  return program;
}

Registration try_blocks() {
  Registration made = bulk_program_registration(
      "try-blocks", "TryBlocks with a computation and sums in them: what a commit costs",
      "fampi-2015 section 3.1, and its authors' public benchmark of commits");
  const OptionSet<TryBlocksOptions> set = options();
  made.options = set.specs();
  made.declare<WorkloadTraits>().try_blocks = [set](const OptionValues& values) {
    const TryBlocksOptions read = set.read(values);
    return BlockContents{.has_messages = read.allreduces > 0,
                         .has_collective = read.allreduces > 0,
                         .needs_all_ranks = read.needs_all_ranks};
  };
  made.make = [set](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    auto program = std::make_shared<const Program>(program_of(set.read(values), job.processes));
    return bulk_program_factory([alike = std::move(program)](Rank) { return alike; });
  };
  return made;
}

const Registered registered{try_blocks()};

}  // namespace

}  // namespace faultline::workloads
