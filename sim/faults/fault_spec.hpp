#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline {

/// A point of a run that the workload or a protocol marks (Context::mark). Faults can strike there.
struct MarkSpec {
  std::string name;
  std::int64_t value = 0;
};

/// Deaths at one stated moment. Exactly one of time_s, event and mark is set.
struct FaultSpec {
  std::optional<double> time_s;
  std::optional<std::uint64_t> event;  ///< after the n-th event of the run, 1-based
  std::optional<MarkSpec> mark;
  std::vector<Rank> ranks;
  std::vector<NodeId> nodes;
  std::vector<NodeId> daemons;  ///< given by their nodes; a daemon's death takes its ranks
};

}  // namespace faultline
