// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "workloads/program.hpp"

namespace faultline::workloads {

/// How many steps a program can have, and how many messages a rank sends in one exchange.
inline constexpr std::size_t kMostTrySteps = 100;
inline constexpr std::size_t kMostDistances = 26;

/// One step of a program of TryBlocks, as all ranks have it.
struct TryStep {
  ProgramStep step;
  /// For a TryBlock: its group. For an exchange or allreduce: its communicator. For a computation:
  /// the ranks that compute.
  RankRange ranks;
  bool names_ranks =
      false;  ///< the step names its ranks; else they are all, or all of the TryBlock
  /// For an exchange: the distances to which a rank sends, counted around the ring of the
  /// communicator.
  std::vector<std::int64_t> distances;
};

/// The steps of one iteration of a program of TryBlocks, as a scenario states them.
///
///     try
///     compute 1e-3 s
///     try local among 0-3
///     exchange 1000 B with -1 +1 among 0-3
///     finish
///     allreduce 8 B
///     finish
///     checkpoint
struct TryScript {
  std::uint32_t processes = 1;
  std::vector<TryStep> steps;           ///< those that can be read
  std::vector<OptionProblem> problems;  ///< of the option `steps`: what cannot be read
};

/// Reads at most kMostTrySteps steps, for a job with ranks below `processes`.
TryScript read_try_script(const std::vector<std::string>& steps, std::uint32_t processes);

/// The first mistake in how the steps of a script without problems fit together, as a problem of
/// the option `steps`. Empty if they fit: each TryBlock is finished, a communicator inside has no
/// ranks that the TryBlock's group lacks (fampi-2015 section 3.1), and so on.
std::vector<OptionProblem> misplaced_steps(const TryScript& script);

/// True if each TryBlock that all ranks commit has an allreduce over all of them inside.
bool has_collectives(const TryScript& script);

/// True if ranks send each other messages beside TryBlocks.
bool has_messages_outside(const TryScript& script);

/// The exchange of a rank in this step: nothing if it is not in the communicator.
HaloExchange exchange_of(const TryStep& step, Rank rank);

}  // namespace faultline::workloads
