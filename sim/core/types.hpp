#pragma once

#include <cstdint>
#include <limits>

namespace faultline {

/// The address of an actor. With P processes, ranks are 0..P-1 and the daemon of node n is P+n.
using ActorId = std::uint32_t;

/// A process of the job, 0..P-1.
using Rank = std::uint32_t;

/// A node of the job, 0..N-1 in partition order.
using NodeId = std::uint32_t;

inline constexpr ActorId kNobody = std::numeric_limits<ActorId>::max();

/// A time that never comes.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// What a component may know about the job it runs in.
struct JobShape {
  std::uint32_t processes = 1;
  std::uint32_t processes_per_node = 1;
  std::uint32_t nodes = 1;
  std::uint32_t worker_cores = 1;
  bool starts_at_root = false;  ///< a diffusing computation: only rank 0 has work at the start
  std::uint64_t seed = 0;  ///< together with replication, the key of random choices ranks share
  std::uint64_t replication = 0;
};

}  // namespace faultline
