#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/lemmas/protocol_stack.hpp"
#include "sim/scenario/run_spec.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// A small job and the deaths in it: all that a run of the search for counterexamples depends on,
/// field by field, so that each can be made simpler.
struct FaultSchedule {
  std::uint64_t seed = 1;  ///< of the run
  std::uint32_t processes = 3;
  std::uint32_t processes_per_node = 1;
  std::string workload = "token-ring";
  std::uint32_t work = 4;   ///< steps, hops, iterations, height of a tree, or tasks of a process
  std::uint32_t width = 1;  ///< of eight steps so many branch; tokens; fan-out; or nothing
  std::uint32_t to_itself = 0;  ///< of eight tokens that hop, so many stay by a message to oneself
  std::uint32_t worker_cores = 1;
  Progress progress = Progress::dedicated;
  double compute_s = 1e-5;    ///< of a task
  double overhead_s = 1e-6;   ///< of sending and of receiving
  double latency_s = 5e-6;    ///< between nodes
  double gap_s = 1e-6;        ///< between messages of a node
  double notice_s = 1e-5;     ///< from a death to its notice
  double reordering_s = 0.0;  ///< mean delay of an unordered message; 0: fifo
  std::vector<FaultSpec> faults;
};

/// The schedule that a number stands for. Nine of ten are small, so that many can be tried: 3 to 8
/// processes, 1 to 3 deaths. Each tenth is wide: 9 to 64 processes, 4 to 12 faults of ranks and
/// nodes at one instant, at the start, at marks or in recoveries, notices that come at once or
/// after the end of all work, more workloads, any progress, messages to oneself.
FaultSchedule draw_schedule(std::uint64_t number);

/// Every way to make it a little simpler: fewer deaths, ranks instead of nodes, stated times
/// instead of marks, fewer processes, an earlier end, plainer costs.
std::vector<FaultSchedule> simpler_schedules(const FaultSchedule& schedule);

/// The node that a rank lies on, and all ranks that a fault strikes.
NodeId node_of(const FaultSchedule& schedule, Rank rank);
std::vector<Rank> victims_of(const FaultSchedule& schedule, const FaultSpec& fault);

/// Do both strike at one moment, so that nothing can happen between them?
bool strike_together(const FaultSpec& one, const FaultSpec& other);

/// What an engine needs to run it.
RunSpec run_spec(const FaultSchedule& schedule, const ProtocolStack& stack);

/// Files that replay it with `faultline run`: the scenario, and the machine that it names.
struct ReplayFiles {
  std::string scenario;
  std::string machine;
};
ReplayFiles replay_files(const FaultSchedule& schedule, const ProtocolStack& stack,
                         EngineKind engine, const std::string& title,
                         const std::string& machine_file);

}  // namespace faultline
