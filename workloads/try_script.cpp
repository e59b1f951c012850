// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/bulk_program.hpp"
#include "workloads/try_script_steps.hpp"

namespace faultline::workloads {

namespace {

struct TryScriptOptions {
  std::vector<std::string> steps;
  std::uint64_t iterations = 1;
  std::uint64_t iterations_per_block = 1;
  std::uint64_t state_bytes = 0;
  bool needs_all_ranks = true;
  std::optional<std::uint64_t> checkpoint_iterations;
};

OptionSet<TryScriptOptions> options() {
  using Options = TryScriptOptions;
  constexpr double kMostIterations = 1e12;
  return OptionSet<Options>()
      .option("steps", &Options::steps,
              {.doc = "the steps of an iteration, up to 100 strings: \"try\", \"compute 1e-3 s\", "
                      "\"try local among 0-3\", \"exchange 1000 B with -1 +1 among 0-3\", "
                      "\"finish\", \"allreduce 8 B\", \"finish\", \"checkpoint\"",
               .required = true})
      .option("iterations", &Options::iterations,
              {.doc = "iterations of the program", .minimum = 1, .maximum = kMostIterations})
      .option("iterations_per_block", &Options::iterations_per_block,
              {.doc = "iterations in one TryBlock", .minimum = 1, .maximum = kMostIterations})
      .option("checkpoint_iterations", &Options::checkpoint_iterations, checkpoint_notes())
      .option("state_bytes", &Options::state_bytes,
              {.doc = "size of a rank's checkpoint", .unit = "B", .maximum = 1e12})
      .option("needs_all_ranks", &Options::needs_all_ranks,
              {.doc = "whether the program needs all of its ranks; if not, it can go on without "
                      "the dead, and without their data (`recovery` `shrink`); its steps then name "
                      "no ranks, and none is an exchange"});
}

using Kind = ProgramStep::Kind;

/// True if everything but the checkpoint is in one TryBlock.
bool is_in_one_block(const TryScript& script) {
  const std::vector<TryStep>& steps = script.steps;
  const auto last = std::find_if(steps.rbegin(), steps.rend(), [](const TryStep& one) {
    return one.step.kind != Kind::checkpoint;
  });
  std::size_t depth = 0;
  for (const TryStep& one : steps) {
    if (one.step.kind == Kind::begin_try) ++depth;
    if (one.step.kind == Kind::finish && --depth == 0) return &one == &*last;
    if (depth == 0) return false;
  }
  return false;
}

/// True if the step names the ranks that take part.
bool names_ranks(const TryStep& one) { return one.names_ranks || one.step.kind == Kind::exchange; }

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const TryScriptOptions read = options().read(values);
  if (read.steps.empty() || read.steps.size() > kMostTrySteps)
    return {{"steps", "expected a list of 1 to " + std::to_string(kMostTrySteps) +
                          " steps, such as \"allreduce 8 B\", got " +
                          std::to_string(read.steps.size())}};
  const TryScript script = read_try_script(read.steps, job.processes);
  if (!script.problems.empty()) return script.problems;
  if (std::vector<OptionProblem> misplaced = misplaced_steps(script); !misplaced.empty())
    return misplaced;
  if (read.iterations_per_block > 1 && !is_in_one_block(script))
    return {{"iterations_per_block",
             "expected 1, or one TryBlock around all steps but the checkpoint: a TryBlock of "
             "several iterations also contains everything between two of them"}};
  if (read.checkpoint_iterations && script.steps.back().step.kind != Kind::checkpoint)
    return {
        {"checkpoint_iterations",
         "expected null, or \"checkpoint\" as the last of the steps, where the state is saved"}};
  const auto named = std::find_if(script.steps.begin(), script.steps.end(), names_ranks);
  if (!read.needs_all_ranks && named != script.steps.end())
    return {{"needs_all_ranks", "expected true: steps[" +
                                    std::to_string(named - script.steps.begin()) +
                                    "] names certain ranks, which may be lost"}};
  return {};
}

/// Ranks have the same steps, and differ in their neighbours and in whether they compute.
Program program_of(const TryScriptOptions& options, const TryScript& script, Rank rank) {
  Program program;
  program.iterations = options.iterations;
  program.iterations_per_block = options.iterations_per_block;
  program.checkpoint_iterations = options.checkpoint_iterations.value_or(0);
  program.processes = script.processes;
  program.state_bytes = options.state_bytes;
  program.steps.reserve(script.steps.size());
  for (const TryStep& one : script.steps) {
    ProgramStep& step = program.steps.emplace_back(one.step);
    if (step.kind == Kind::compute && !one.ranks.contains(rank)) step.duration_s = 0.0;
    if (step.kind == Kind::allreduce && one.names_ranks) {
      program.communicators.change().push_back(one.ranks);
      step.communicator = static_cast<std::uint8_t>(program.communicators->size());
    }
    if (step.kind != Kind::exchange) continue;
    step.exchange = static_cast<std::uint8_t>(program.exchanges.size());
    program.exchanges.push_back(exchange_of(one, rank));
  }
  return program;
}

/// True if all ranks have the same program.
bool is_alike(const TryScript& script) {
  return std::none_of(script.steps.begin(), script.steps.end(), [&](const TryStep& one) {
    return one.step.kind == Kind::exchange ||
           (one.step.kind == Kind::compute && one.ranks.count < script.processes);
  });
}

ComponentFactory make(const OptionValues& values, const JobShape& job) {
  const auto read = std::make_shared<const TryScriptOptions>(options().read(values));
  const auto script =
      std::make_shared<const TryScript>(read_try_script(read->steps, job.processes));
  if (is_alike(*script))
    return bulk_program_factory([alike = std::make_shared<const Program>(
                                     program_of(*read, *script, 0))](Rank) { return alike; });
  return bulk_program_factory([read, script](Rank rank) {
    return std::make_shared<const Program>(program_of(*read, *script, rank));
  });
}

/// Without a job, an allreduce that names its ranks does not count as one over all.
BlockContents contents(const OptionValues& values) {
  const TryScriptOptions read = options().read(values);
  const TryScript script = read_try_script(read.steps, kNobody);
  const bool has_messages =
      std::any_of(script.steps.begin(), script.steps.end(), [](const TryStep& one) {
        return one.step.kind == Kind::exchange || one.step.kind == Kind::allreduce;
      });
  return {.has_messages = has_messages,
          .has_collective = has_collectives(script),
          .needs_all_ranks = read.needs_all_ranks,
          .has_messages_outside = has_messages_outside(script)};
}

Registration try_script() {
  Registration made = bulk_program_registration(
      "try-script", "a program of TryBlocks in the scenario, step by step",
      "fampi-2015 section 3.1");
  made.options = options().specs();
  made.check = check;
  made.declare<WorkloadTraits>().try_blocks = contents;
  made.make = make;
  return made;
}

const Registered registered{try_script()};

}  // namespace

}  // namespace faultline::workloads
