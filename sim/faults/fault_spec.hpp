// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline::faults {

/// A point of a run that the workload or a protocol marks (Context::mark). Faults can strike there.
struct MarkSpec {
  std::string name;
  std::int64_t value = 0;
};

/// What happens to the victims of a fault at one stated moment. Exactly one of time_s, event and
/// mark is set.
struct FaultSpec {
  std::optional<double> time_s;
  std::optional<std::uint64_t> event;  ///< after the n-th event of the run, 1-based
  std::optional<MarkSpec> mark;
  std::vector<Rank> ranks;
  std::vector<NodeId> nodes;
  std::vector<NodeId> daemons;  ///< given by their nodes; a daemon's death takes its ranks
  /// Nobody dies: the routers of these nodes fail at time_s. If not empty, there are no others.
  std::vector<NodeId> cut_off;
  double repair_s = kNever;  ///< until the nodes or routers are in operation again
  /// Nobody dies: the programs of the ranks find an error in their data.
  bool soft = false;
  /// If not 0, nobody dies: the processors of the ranks do nothing for this time.
  double stall_s = 0.0;

  [[nodiscard]] bool kills() const { return !soft && stall_s == 0.0 && cut_off.empty(); }
};

/// A time in which a node reaches nobody on other nodes, and nobody there reaches it, because its
/// router has failed.
struct Outage {
  NodeId node = kNobody;
  double from_s = 0.0;
  double to_s = kNever;
};

/// A time in which the network loses messages that enter it from one group to another, or lets them
/// wait. An actor in no group reaches everybody.
struct PartitionSpec {
  bool of_ranks = false;                           ///< else the groups are of nodes
  std::vector<std::vector<std::uint32_t>> groups;  ///< at least two, which do not overlap
  double from_s = 0.0;
  double to_s = kNever;  ///< the first moment at which the network is whole again
  bool waits = false;    ///< messages wait until then, and are not lost
};

/// A time in which the processors of these nodes take longer for messages.
struct SlowSpec {
  std::vector<NodeId> nodes;
  double factor = 1.0;  ///< of all overheads, at least 1
  double from_s = 0.0;
  double to_s = kNever;
};

}  // namespace faultline::faults
