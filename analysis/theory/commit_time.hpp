// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "sim/core/types.hpp"
#include "sim/platform/machine.hpp"

namespace faultline::theory {

/// A commit without faults: all members contribute at time 0, one to a node, and agree over a
/// binary heap (protocols/transactions/agreement.hpp).
struct CommitModel {
  platform::Machine machine;  ///< only its costs of a message count, not its topology
  std::uint32_t members = 1;  ///< P
  bool two_sweeps = false;    ///< a second way up and down confirms
  std::uint64_t bytes = 92;   ///< size of each message
  /// The delay of a message by the links of the route between two members, in seconds.
  std::function<double(Rank, Rank)> route_latency_s;
};

struct CommitTimes {
  double root_knows_s = 0.0;  ///< when the root has received the last contribution
  double last_knows_s = 0.0;  ///< when the last member has received the decision
  /// The time at which the last processor is free, when each member has told those below it.
  double last_is_free_s = 0.0;
  std::uint64_t messages = 0;
};

/// The times of a commit on a LogGP machine, by recursion over the tree: a member sends when it has
/// received the contributions of both children, and receives when its parent has sent. Messages
/// wait for processors and NICs as docs/machines.md describes. Simulates nothing and shares no code
/// with the engines or the protocols.
CommitTimes commit_times(const CommitModel& model);

}  // namespace faultline::theory
