// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "workloads/bulk_program.hpp"
#include "workloads/lulesh_plan.hpp"

namespace faultline::workloads {

namespace {

struct LuleshMpiOptions {
  std::uint32_t zones_per_side = 50;
  std::uint64_t iterations = 200;
  std::uint64_t iterations_per_block = 1;
  std::uint32_t exchanges = 3;
  double zone_compute_s = 1e-6;
  std::optional<std::uint64_t> state_bytes;
  std::optional<std::uint64_t> checkpoint_iterations;
};

/// The shares of a step's computation before the exchange of forces, before that of positions,
/// before that of gradients, and after it: stress and hourglass forces, motion of the nodes,
/// kinematics and gradients, viscosity and the equation of state.
constexpr std::array<double, 4> kShares{0.5, 0.05, 0.2, 0.25};

OptionSet<LuleshMpiOptions> options() {
  using Options = LuleshMpiOptions;
  constexpr double kLargestSide = 5000;
  constexpr double kMostIterations = 1e12;
  return OptionSet<Options>()
      .option("zones_per_side", &Options::zones_per_side,
              {.doc = "zones along each side of a rank's domain",
               .source = "LULESH 2.0, whose size is that of a domain; fampi-2015 section 5 says "
                         "\"global domain size 50^3\" for 1,000 ranks, which would be 5",
               .minimum = 1,
               .maximum = kLargestSide})
      .option("iterations", &Options::iterations,
              {.doc = "time steps",
               .source = "fampi-2015 section 5",
               .minimum = 1,
               .maximum = kMostIterations})
      .option("iterations_per_block", &Options::iterations_per_block,
              {.doc = "time steps in one TryBlock",
               .source = "fampi-2015 section 4: one",
               .minimum = 1,
               .maximum = kMostIterations})
      .option("checkpoint_iterations", &Options::checkpoint_iterations, checkpoint_notes())
      .option(
          "exchanges", &Options::exchanges,
          {.doc = "exchanges in a time step. 3: forces, positions and velocities, gradients. 4: "
                  "positions and velocities once more at the end of the step",
           .source = "3: LULESH 2.0 as it is built by default; 4: fampi-2015 section 4",
           .minimum = 3,
           .maximum = 4})
      .option("zone_compute_s", &Options::zone_compute_s,
              {.doc = "computation time of a zone in a time step",
               .unit = "s",
               .source = "estimate: ports of LULESH to other runtimes take 1.06 and 1.26 us",
               .minimum = 0,
               .maximum = 1.0})
      .option("state_bytes", &Options::state_bytes,
              {.doc = "size of a rank's checkpoint; null: 6 fields of its nodes and 5 of its zones",
               .unit = "B",
               .maximum = 1e12});
}

/// Waits for the smallest time step of all ranks, and then goes through the exchanges, each in a
/// local TryBlock.
Program program_of(const LuleshMpiOptions& options, const LuleshPlan& plan, Rank rank) {
  using Kind = ProgramStep::Kind;
  constexpr std::uint32_t kTimeStepBytes = 8;
  const double zones = options.zones_per_side;
  const double compute_s = options.zone_compute_s * zones * zones * zones;
  Program program;
  program.iterations = options.iterations;
  program.iterations_per_block = options.iterations_per_block;
  program.checkpoint_iterations = options.checkpoint_iterations.value_or(0);
  program.processes = plan.side() * plan.side() * plan.side();
  program.state_bytes = options.state_bytes.value_or(plan.state_bytes());
  std::vector<ProgramStep>& steps = program.steps;
  steps.push_back({.kind = Kind::begin_try});
  steps.push_back({.kind = Kind::allreduce, .bytes = kTimeStepBytes});
  const auto exchanges = static_cast<std::uint8_t>(plan.exchanges().size());
  for (std::uint8_t number = 0; number < exchanges; ++number) {
    program.exchanges.push_back(plan.halo(rank, number));
    steps.push_back({.kind = Kind::compute, .duration_s = kShares[number] * compute_s});
    steps.push_back({.kind = Kind::begin_try, .local = true});
    steps.push_back({.kind = Kind::exchange, .exchange = number});
    steps.push_back({.kind = Kind::finish});
  }
  if (plan.exchanges().size() < kShares.size())
    steps.push_back({.kind = Kind::compute, .duration_s = kShares.back() * compute_s});
  steps.push_back({.kind = Kind::finish});
  steps.push_back({.kind = Kind::checkpoint});
  return program;
}

Registration lulesh_mpi() {
  Registration made = bulk_program_registration(
      "lulesh-mpi", "shock hydrodynamics on a cube of ranks, in TryBlocks inside TryBlocks",
      "fampi-2015 sections 4 and 5; LULESH 2.0 (Karlin, Keasler, Neely, LLNL-TR-641973)");
  const OptionSet<LuleshMpiOptions> set = options();
  made.options = set.specs();
  made.declare<WorkloadTraits>().try_blocks = [](const OptionValues&) {
    return BlockContents{.has_messages = true, .has_collective = true, .needs_all_ranks = true};
  };
  made.check = [](const OptionValues&, const JobShape& job) {
    return lulesh_problems(job.processes);
  };
  made.make = [set](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    const auto read = std::make_shared<const LuleshMpiOptions>(set.read(values));
    const LuleshPlan plan(job.processes, read->zones_per_side, read->exchanges == 4);
    return bulk_program_factory([read, plan](Rank rank) {
      return std::make_shared<const Program>(program_of(*read, plan, rank));
    });
  };
  return made;
}

const Registered registered{lulesh_mpi()};

}  // namespace

}  // namespace faultline::workloads
