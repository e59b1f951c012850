// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/lemmas/protocol_stack.hpp"
#include "sim/scenario/run_spec.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::lemmas {

/// A small job and the deaths in it. A run of the search depends on nothing but this, a
/// ProtocolStack and an engine. Shrinking simplifies it field by field.
struct FaultSchedule {
  std::uint64_t seed = 1;  ///< of the run
  std::uint32_t processes = 3;
  std::uint32_t processes_per_node = 1;
  std::string workload = "token-ring";
  std::uint32_t work = 4;  ///< steps, hops, iterations, height of a tree, or tasks of a process
  /// Depends on the workload: branching steps out of eight, tokens, fan-out or dimensions.
  std::uint32_t width = 1;
  std::uint32_t to_itself = 0;  ///< hops out of eight in which a process sends to itself
  std::uint32_t worker_cores = 1;
  scenario::Progress progress = scenario::Progress::dedicated;
  double compute_s = 1e-5;    ///< of one task
  double overhead_s = 1e-6;   ///< of sending and of receiving
  double latency_s = 5e-6;    ///< between nodes
  double gap_s = 1e-6;        ///< between two messages of a node
  double notice_s = 1e-5;     ///< from a death to its notice
  double spread_s = 0.0;      ///< each listener may hear later by up to this
  double reordering_s = 0.0;  ///< mean delay of an unordered message; 0: fifo
  std::vector<faults::FaultSpec> faults = {};

  // For protocols that bring dead ranks back, above a stencil.
  std::string preset = "none";  ///< the program whose exchanges these are
  std::uint32_t objects_per_process = 1;
  std::uint32_t checkpoint_iterations = 0;  ///< 0: never
  double restart_delay_s = 0.0;
  std::uint32_t spare_nodes = 0;
  /// The number of ranks on which objects of a dead one recover, at most as many as there can be;
  /// 0: at home.
  std::uint32_t helpers = 0;
  std::string termination = {};  ///< the termination detector above the protocol; empty: none

  // For programs of TryBlocks, which also have the costs of checkpoints and spare nodes above.
  std::uint32_t iterations_per_block = 1;
  bool has_sums = true;            ///< the TryBlocks contain sums
  OptionValues transactions = {};  ///< the protocol's options that are not the defaults

  // For detectors that find deaths themselves.
  double period_s = 0.01;       ///< delta: between two heartbeats, or two probes
  double timeout_s = 0.025;     ///< eta: from the last heartbeat to the suspicion
  double exit_delay_s = 1e-3;   ///< until a node hears of a rank's death, or a connection breaks
  double silent_loss_s = 480;   ///< until a connection to a failed node breaks
  bool until_reported = false;  ///< the run ends as soon as all have heard of all deaths

  // What disturbs the network and the processors; see docs/disturbances.md.
  double loss_probability = 0.0;  ///< of messages of failure detection
  double delay_noise_s = 0.0;     ///< mean of an exponential delay
  double start_delay_s = 0.0;
  std::optional<scenario::OsNoise> os_noise = {};
  std::vector<faults::PartitionSpec> partitions = {};
  std::vector<faults::SlowSpec> slow = {};
};

/// The time from which nothing is disturbed, except for what lasts for the whole run [s].
double calm_from_s(const FaultSchedule& schedule);

/// The number of nodes that have ranks. There are no others.
std::uint32_t nodes_of(const FaultSchedule& schedule);

/// Draws schedule number `number`. Nine of ten schedules are small, so that many can be tried: 3 to
/// 8 processes and 1 to 3 deaths. Every tenth is wide: 9 to 64 processes, and 4 to 12 faults of
/// ranks and nodes, at one instant, at the start, at marks or in recoveries. In half of all
/// schedules the notices of a death come at different times. Wide schedules also have notices that
/// come at once or after the end of all work, more workloads, every kind of progress, and messages
/// of a process to itself.
FaultSchedule draw_schedule(std::uint64_t number);

/// How large and how slow the schedules for a failure detector are.
struct DetectionScale {
  double period_s = 0.01;
  std::uint32_t most_processes = 48;
};

/// Draws schedule number `number` for a detector that finds deaths itself: 3 to 16 nodes, with one
/// or a few ranks each; deaths of ranks, daemons and nodes at any time, together, just when an
/// earlier death is found and told, or between two sends of a broadcast. Some jobs compute and send
/// meanwhile. Two of five schedules are quiet. In the others messages are lost or late, the network
/// falls apart for a short or a long time, nodes are slow or interrupted, or daemons start late.
FaultSchedule draw_detection_schedule(std::uint64_t number, const DetectionScale& scale);

/// What a protocol that brings dead ranks back can work with.
struct RecoverableProgram {
  bool any_order = true;  ///< its state may depend on the order of messages
  bool unordered = true;  ///< a network that does not keep their order
  bool helped = false;    ///< objects of a dead rank recover on helpers
};

/// The number of helpers under a schedule.
std::uint32_t helpers_of(const FaultSchedule& schedule);

/// Draws schedule number `number` for a protocol of message logging: 2 to 8 ranks with 1 to 8
/// objects each, and 1 to 3 deaths of ranks or nodes. They strike at any event, at marks, when the
/// recovery from the previous death is over, or soon after that death. The victim is often the rank
/// that keeps the image of the previous victim, or one of its helpers.
FaultSchedule draw_recovery_schedule(std::uint64_t number, const RecoverableProgram& program);

/// A protocol of transactions, or "none", and the option `scope` of `fampi`: which ranks decide on
/// a TryBlock.
struct BlockProtocol {
  std::string name;
  std::string scope = "global";
};

/// Draws schedule number `number` for programs of TryBlocks: 3 to 8 ranks, and 1 to 3 deaths of
/// ranks or nodes, at any event, at any mark of a commit or a recovery, or soon after another
/// death. Ranks also stall, and find errors in their data where these can be raised. Draws all
/// options of the protocol except an unprotected recovery and Daly's interval.
FaultSchedule draw_block_schedule(std::uint64_t number, const BlockProtocol& protocol);

/// What may happen in a wide schedule.
struct WideFaults {
  bool daemons = false;     ///< daemons die, and their ranks with them; their nodes live on
  bool found_late = false;  ///< a detector with timeouts finds deaths, and a stall would mislead it
  bool noise = false;       ///< noise of the operating system, which misleads nobody
};

/// Draws schedule number `number` for programs of TryBlocks on 4 to 32 ranks, up to 8 on a node,
/// and 1 to 6 faults with 1 to 5 victims each: ranks, again and again the same ones, nodes and
/// spare nodes.
FaultSchedule draw_wide_block_schedule(std::uint64_t number, const BlockProtocol& protocol,
                                       const WideFaults& faults);

/// Returns all schedules that are one step simpler: fewer deaths, ranks instead of nodes, stated
/// times instead of marks, fewer processes, an earlier end, plainer costs, fewer disturbances.
std::vector<FaultSchedule> simpler_schedules(const FaultSchedule& schedule);

/// The node that a rank runs on.
NodeId node_of(const FaultSchedule& schedule, Rank rank);

/// All ranks that a fault kills, including those on its nodes.
std::vector<Rank> victims_of(const FaultSchedule& schedule, const faults::FaultSpec& fault);

/// True if both faults strike at the same moment, so that nothing can happen between them.
bool strike_together(const faults::FaultSpec& one, const faults::FaultSpec& other);

/// The specification with which an engine runs the schedule.
scenario::RunSpec run_spec(const FaultSchedule& schedule, const ProtocolStack& stack);

/// The contents of the files with which `faultline run` replays a schedule: the scenario, and the
/// machine that it names.
struct ReplayFiles {
  std::string scenario;
  std::string machine;
};

/// `title` is the scenario's name, and `machine_file` the path by which it names the machine.
ReplayFiles replay_files(const FaultSchedule& schedule, const ProtocolStack& stack,
                         scenario::EngineKind engine, const std::string& title,
                         const std::string& machine_file);

}  // namespace faultline::lemmas
