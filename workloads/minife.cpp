// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <utility>

#include "workloads/bulk_program.hpp"
#include "workloads/minife_plan.hpp"

namespace faultline::workloads {

namespace {

struct MiniFeOptions {
  std::uint32_t nx = 100;
  std::uint32_t ny = 100;
  std::uint32_t nz = 100;
  std::uint64_t iterations = 200;
  std::uint64_t iterations_per_block = 1;
  std::string dots = "inside";
  double memory_bandwidth_Bps = 5e9;
  std::optional<std::uint64_t> state_bytes;
  std::optional<std::uint64_t> checkpoint_iterations;
};

OptionSet<MiniFeOptions> options() {
  using Options = MiniFeOptions;
  constexpr double kLargest = 1e6;
  return OptionSet<Options>()
      .option("nx", &Options::nx,
              {.doc = "elements of the brick in x", .minimum = 1, .maximum = kLargest})
      .option("ny", &Options::ny,
              {.doc = "elements of the brick in y", .minimum = 1, .maximum = kLargest})
      .option("nz", &Options::nz,
              {.doc = "elements of the brick in z", .minimum = 1, .maximum = kLargest})
      .option("iterations", &Options::iterations,
              {.doc = "iterations of conjugate gradients",
               .source = "fampi-2015 section 5",
               .minimum = 1,
               .maximum = 1e12})
      .option("iterations_per_block", &Options::iterations_per_block,
              {.doc = "iterations in one TryBlock",
               .source = "fampi-2015 section 5: one",
               .minimum = 1,
               .maximum = 1e12})
      .option("checkpoint_iterations", &Options::checkpoint_iterations, checkpoint_notes())
      .option("dots", &Options::dots,
              {.doc = "where the two sums over all ranks in each iteration are. `inside`: in the "
                      "TryBlock; `outside`: before and after it, where the death of a rank leaves "
                      "the others "
                      "waiting; `none`",
               .source = "`outside`: the authors' program; `none`: fampi-2015 section 5 (\"no "
                         "collective\"), which MiniFE contradicts",
               .choices = {"inside", "outside", "none"}})
      .option("memory_bandwidth_Bps", &Options::memory_bandwidth_Bps,
              {.doc = "rate at which a rank reads its matrix and vectors and writes its vectors, "
                      "which determines its computation time",
               .unit = "B/s",
               .source = "estimate: 80 GB/s of a Stampede node, shared by 16 ranks",
               .minimum = 0,
               .above_minimum = true})
      .option("state_bytes", &Options::state_bytes,
              {.doc = "size of a rank's checkpoint; null: its part of x, r and p",
               .unit = "B",
               .maximum = 1e12});
}

/// The steps of conjugate gradients, as in MiniFE's cg_solve: r.r, p = r + beta p, the halo of p,
/// A p, p.Ap, x += alpha p and r -= alpha A p. A vector that is read or written counts by its
/// bytes.
Program program_of(const MiniFeOptions& options, const MiniFePlan& plan, Rank rank) {
  using Kind = ProgramStep::Kind;
  constexpr double kNumberBytes = 8.0;
  const double vector_s =
      kNumberBytes * static_cast<double>(plan.rows(rank).size()) / options.memory_bandwidth_Bps;
  const double whole_s = static_cast<double>(plan.moved_bytes(rank)) / options.memory_bandwidth_Bps;
  const auto compute = [](double duration_s) {
    return ProgramStep{.kind = Kind::compute, .duration_s = duration_s};
  };
  const auto only = [](Kind kind) { return ProgramStep{.kind = kind}; };
  const ProgramStep sum{.kind = Kind::allreduce, .bytes = 8};
  constexpr double kDotVectors = 1.0;        // r
  constexpr double kDirectionVectors = 3.0;  // r, p, and p
  constexpr double kUpdateVectors = 6.0;     // x, p, r, Ap, and x, r
  constexpr double kOtherVectors = kDotVectors + kDirectionVectors + kUpdateVectors;
  const bool has_sums = options.dots != "none";
  const bool is_inside = options.dots != "outside";

  Program program;
  program.iterations = options.iterations;
  program.iterations_per_block = options.iterations_per_block;
  program.checkpoint_iterations = options.checkpoint_iterations.value_or(0);
  program.processes = plan.processes();
  program.state_bytes = options.state_bytes.value_or(plan.state_bytes(rank));
  program.exchanges.push_back(plan.halo(rank));
  std::vector<ProgramStep>& steps = program.steps;
  constexpr std::size_t kSteps = 10;
  steps.reserve(kSteps);
  if (is_inside) steps.push_back(only(Kind::begin_try));
  steps.push_back(compute(kDotVectors * vector_s));
  if (has_sums) steps.push_back(sum);
  steps.push_back(compute(kDirectionVectors * vector_s));
  if (!is_inside) steps.push_back(only(Kind::begin_try));
  steps.push_back(only(Kind::exchange));
  steps.push_back(compute(whole_s - kOtherVectors * vector_s));
  if (!is_inside) steps.push_back(only(Kind::finish));
  if (has_sums) steps.push_back(sum);
  steps.push_back(compute(kUpdateVectors * vector_s));
  if (is_inside) steps.push_back(only(Kind::finish));
  steps.push_back(only(Kind::checkpoint));
  return program;
}

GridCounts elements(const MiniFeOptions& options) { return {options.nx, options.ny, options.nz}; }

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const MiniFeOptions read = options().read(values);
  std::vector<OptionProblem> problems = minife_problems(elements(read), job.processes);
  if (read.dots == "outside" && read.iterations_per_block > 1)
    problems.push_back({"iterations_per_block",
                        "1 with dots \"outside\": a TryBlock of several iterations would have the "
                        "sums inside"});
  return problems;
}

Registration minife() {
  Registration made = bulk_program_registration(
      "minife", "conjugate gradients on a brick of finite elements, in TryBlocks",
      "fampi-2015 sections 4 and 5; Mantevo miniFE ref/ (bisection, halo, cg_solve)");
  const OptionSet<MiniFeOptions> set = options();
  made.options = set.specs();
  made.check = check;
  made.declare<WorkloadTraits>().try_blocks = [set](const OptionValues& values) {
    return BlockContents{.has_messages = true,
                         .has_collective = set.read(values).dots == "inside",
                         .needs_all_ranks = true,
                         .has_messages_outside = set.read(values).dots == "outside"};
  };
  made.make = [set](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    const auto read = std::make_shared<const MiniFeOptions>(set.read(values));
    return bulk_program_factory(
        [read, plan = MiniFePlan(elements(*read), job.processes)](Rank rank) {
          return std::make_shared<const Program>(program_of(*read, plan, rank));
        });
  };
  return made;
}

const Registered registered{minife()};

}  // namespace

}  // namespace faultline::workloads
