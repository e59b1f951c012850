// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
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

/// An object of an over-decomposed program, numbered among all objects of the job.
using ObjectId = std::uint32_t;

/// The actor itself, and none of its objects.
inline constexpr ObjectId kNoObject = std::numeric_limits<ObjectId>::max();

/// One life of an actor. An actor that restarts begins the next one. What anybody knows of an
/// actor, such as its death, it knows of one incarnation.
struct Incarnation {
  ActorId actor = kNobody;
  std::uint16_t number = 0;  ///< 0 from the start of the run on, one more after each restart
  std::uint16_t unused = 0;  ///< always: a message that carries an incarnation has no gap there

  friend auto operator<=>(const Incarnation&, const Incarnation&) = default;  // NOLINT(*-nullptr)
};

/// A time that never comes.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// What a component may know about the job it runs in.
struct JobShape {
  std::uint32_t processes = 1;
  std::uint32_t processes_per_node = 1;
  std::uint32_t nodes = 1;        ///< that hold ranks at the start
  std::uint32_t spare_nodes = 0;  ///< further nodes, numbered from `nodes` on
  std::uint32_t worker_cores = 1;
  bool starts_at_root = false;  ///< a diffusing computation: only rank 0 has work at the start
  std::uint64_t seed = 0;  ///< together with replication, the key of random choices ranks share
  std::uint64_t replication = 0;
  /// Mean time between the faults of the whole job, if their sources say it.
  double mtbf_s = kNever;
  /// A process that is declared dead does not come back in the same life: the resource manager ends
  /// it, or a protocol acts on the report, which it cannot undo.
  bool reports_are_final = true;
  /// What happens at a rank depends on when its computations end and its timers run out, and not on
  /// its messages alone. So message logging that replays messages must replay these in their order,
  /// too.
  bool orders_local_events = false;
  /// The stack has transactions, so that a program can have TryBlocks.
  bool has_transactions = false;
};

}  // namespace faultline
