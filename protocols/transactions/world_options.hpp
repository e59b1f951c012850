// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"

namespace faultline::transactions {

/// What the protocols of transactions have in common.
struct WorldOptions {
  std::string recovery = "rebuild";
  bool protect_recovery = true;
  std::optional<std::string> checkpoint;
  std::optional<std::uint64_t> checkpoint_iterations;
  std::optional<double> checkpoint_interval_s;
  double storage_bandwidth_Bps = 58e9;
  double node_storage_bandwidth_Bps = 1e8;
  double spawn_s = 0.0;
  std::string spawn = "spare-node";
  std::string rebuild_over = "star";
  std::uint64_t control_bytes = 32;

  [[nodiscard]] bool takes_checkpoints() const { return checkpoint && *checkpoint != "none"; }
};

/// A member of WorldOptions as one of `Options`, which inherits from it.
template <class Options, class Member>
constexpr Member Options::*world_option(Member WorldOptions::*of) {
  return of;
}

/// Declares the options that all these protocols have. `Options` inherits from WorldOptions.
template <class Options>
OptionSet<Options> world_options() {
  const auto member = [](auto of) { return world_option<Options>(of); };
  return OptionSet<Options>()
      .option(
          "checkpoint", member(&WorldOptions::checkpoint),
          {.doc = "where the state of a rank is saved. `none`: nowhere, and the program begins "
                  "again. `local`: on the node of the rank, and lost with it. `partner`: at a rank "
                  "of another node, too. `storage`: in a storage that all share. null: `partner` "
                  "if the workload has `checkpoint_iterations`, else `none`",
           .source = "`local`: the authors' program",
           .choices = {"none", "local", "partner", "storage"}})
      .option(
          "checkpoint_iterations", member(&WorldOptions::checkpoint_iterations),
          {.doc = "least number of iterations from one checkpoint to the next; ranks take it at "
                  "the end of a TryBlock. null: determined by checkpoint_interval_s, or else by "
                  "`checkpoint_iterations` of the workload",
           .minimum = 1})
      .option("checkpoint_interval_s", member(&WorldOptions::checkpoint_interval_s),
              {.doc = "time from one checkpoint to the next, rounded to whole TryBlocks. null: "
                      "Daly's interval for the mean time between faults and the cost of the last "
                      "checkpoint, unless checkpoint_iterations is given, here or for the workload",
               .unit = "s",
               .source = "Daly, FGCS 22(3), 2006, equation 37",
               .minimum = 0,
               .maximum = 1e9,
               .above_minimum = true})
      .option("storage_bandwidth_Bps", member(&WorldOptions::storage_bandwidth_Bps),
              {.doc = "rate at which all ranks together write to the storage and read from it",
               .unit = "B/s",
               .source = "assumed: that of Stampede's file system",
               .minimum = 0,
               .above_minimum = true})
      .option("node_storage_bandwidth_Bps", member(&WorldOptions::node_storage_bandwidth_Bps),
              {.doc = "`local`: rate at which the ranks of a node together write to its storage "
                      "and read from it",
               .unit = "B/s",
               .source = "assumed: one hard disk in each node",
               .minimum = 0,
               .above_minimum = true})
      .option("spawn", member(&WorldOptions::spawn),
              {.doc = "where new processes start: on a spare node, or on the node of the dead one",
               .source = "fampi-2015 Fig. 1",
               .choices = {"spare-node", "same-node"}})
      .option("rebuild_over", member(&WorldOptions::rebuild_over),
              {.doc = "how the leader tells all ranks of a new world: each one itself, or over a "
                      "binary tree",
               .source = "fampi-2015 section 3.3 (\"scales linearly\"): `star`; `tree` is ours",
               .choices = {"star", "tree"}})
      .option("control_bytes", member(&WorldOptions::control_bytes),
              {.doc = "size of a control message, without its list",
               .unit = "B",
               .source = "assumed: four words"});
}

/// Declares `recovery`, for protocols whose ranks go on without a relaunch.
inline OptionNotes recovery_notes() {
  return {.doc =
              "what happens to the world after a death. `rebuild`: new processes take the ranks of "
              "the dead, and nobody else's rank changes. `merge`: the ranks above the dead move "
              "down, their data with them, and new processes are the last ranks. `shrink`: the "
              "ranks above the dead move down, and the program goes on with fewer ranks",
          .source = "fampi-2015 section 3.3; `rebuild`: Fig. 1c; `merge`: Fig. 1a, b",
          .choices = {"rebuild", "merge", "shrink"}};
}

/// Declares `spawn_s`, for protocols that start new processes themselves.
inline OptionNotes spawn_time_notes() {
  return {.doc = "time from the request of new processes until they start",
          .unit = "s",
          .source = "fampi-2015 section 5: \"several seconds\"; the default leaves it out",
          .minimum = 0.0,
          .maximum = 1e9};
}

/// Problems with the program of protocols whose ranks go on without a relaunch: not every program
/// can go on with fewer ranks, and requests outside of TryBlocks are never given up.
std::vector<OptionProblem> block_problems(const OptionValues& own, const Registration& program,
                                          const BlockContents& blocks);

/// Problems of these options in a job in which processes die.
std::vector<OptionProblem> death_problems(const OptionValues& values, const Deaths& deaths);

/// Problems of these options in a job.
std::vector<OptionProblem> world_problems(const OptionValues& values, const JobShape& job);

}  // namespace faultline::transactions
