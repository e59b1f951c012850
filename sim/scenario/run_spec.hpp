// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/faults/fault_spec.hpp"
#include "sim/platform/machine.hpp"

namespace faultline::scenario {

enum class EngineKind { loggp, simgrid };
enum class Mapping { block, round_robin, random };
enum class Progress { dedicated, shared, between };
enum class Ordering { fifo, unordered };
enum class DaemonCore { dedicated, shared };
enum class StopWhen { announced, all_reported, finished, time };

#ifdef NDEBUG
inline constexpr bool kDebugBuild = false;
#else
inline constexpr bool kDebugBuild = true;
#endif

enum class DelayLaw { exponential, uniform, pareto };

/// How much longer the network takes for a message between nodes.
struct DelayNoise {
  DelayLaw law = DelayLaw::exponential;
  double mean_s = 0.0;
  double shape = 2.5;    ///< of the Pareto law
  bool per_hop = false;  ///< each link adds a delay of its own; else the message has one
};

/// The operating system takes all processors of a node away for `length_s` every `interval_s`, from
/// a random moment on that differs from node to node.
struct OsNoise {
  double interval_s = 0.0;
  double length_s = 0.0;      ///< below interval_s
  std::vector<NodeId> nodes;  ///< that have noise; empty: all
};

/// What happens when a process is to start again and no node is free.
enum class WhenNoSpare { wait, give_up };

/// What ends a process that lives and is declared dead.
enum class FencedBy { resource_manager, nobody };
/// Whom the resource manager reaches while the network is cut: everybody, or the side of node 0,
/// where it is, and whoever is in no group.
enum class FencingReach { all, connected };

/// How a process ends that is declared dead while it lives.
struct FencingSpec {
  /// No value: the resource manager where message logging or transactions recover, else nobody.
  std::optional<FencedBy> by;
  double delay_s = 1.0;  ///< from the report that the manager believes to the end of the process
  FencingReach reach = FencingReach::all;

  bool operator==(const FencingSpec&) const = default;
};

/// The machine and the part of it that the job takes.
struct PlatformSpec {
  platform::Machine
      machine;  ///< only its costs if xml_path is set: that file has the topology and the links
  std::string xml_path;  ///< a SimGrid platform file, or ""
  std::uint32_t processes = 1;
  std::uint32_t processes_per_node = 1;
  std::uint32_t spare_nodes = 0;
  std::uint32_t worker_cores = 1;
  bool whole_machine = false;  ///< route over the whole machine instead of a compact block
  Mapping mapping = Mapping::block;
  Progress progress = Progress::dedicated;
  Ordering ordering = Ordering::fifo;
  double local_exit_delay_s = 1e-3;  ///< until a node's daemon hears of a local rank's death
  double link_lost_delay_s = 1e-3;   ///< until the holder of an open connection hears that it broke
  double silent_link_lost_delay_s = 480;  ///< until it hears that, if the peer's node has failed
  double restart_delay_s = 0.0;           ///< from the request of a restart to the new process
  WhenNoSpare when_no_spare = WhenNoSpare::wait;
  DaemonCore daemon_core = DaemonCore::dedicated;
  double context_switch_s = 0.0;      ///< until a daemon gets a computing rank's core
  double unordered_delay_s = 1e-5;    ///< mean of the exponential delay of an unordered message
  std::uint64_t packet_bytes = 2048;  ///< a longer message is sent in packets
  std::optional<DelayNoise> delay_noise;
  std::optional<OsNoise> os_noise;
  FencingSpec fencing;
  double start_delay_s = 0.0;  ///< until then a daemon only launches the processes of its node
  double detection_loss_probability = 0.0;  ///< of a message of failure detection between nodes
  std::uint32_t nodes_per_power_unit = 0;   ///< 0 if not known
};

/// The job's size. Its nodes are those that hold ranks, without spare nodes.
inline JobShape job_shape(const PlatformSpec& platform) {
  return {.processes = platform.processes,
          .processes_per_node = platform.processes_per_node,
          .nodes = (platform.processes - 1) / platform.processes_per_node + 1,
          .spare_nodes = platform.spare_nodes,
          .worker_cores = platform.worker_cores,
          .starts_at_root = false};
}

/// What sources of faults may know of a job before it is placed. It refers to the platform.
inline faults::FaultTarget fault_target(const PlatformSpec& platform) {
  return {.job = job_shape(platform),
          .node_of = {},
          .machine = platform.xml_path.empty() ? &platform.machine : nullptr,
          .whole_machine = platform.whole_machine,
          .nodes_per_power_unit = platform.nodes_per_power_unit};
}

/// The component that a scenario names for one family. The registration is null for "none".
struct ComponentChoice {
  const Registration* registration = nullptr;
  OptionValues options;
};

struct StopSpec {
  StopWhen when = StopWhen::announced;
  double grace_s = 1.0;
  double time_s = 60.0;
  std::uint64_t events = 1000000000;
  /// The memory of the simulating process. It changes no result. No value: see MemoryExcess.
  std::optional<std::uint64_t> memory_bytes = {};
};

/// What can happen next in a run whose order is stated.
enum class OrderedEvent : std::uint8_t {
  message,
  timer,
  computation,
  sent,  ///< the sender of a message is told that it has left
  exit_notice,
  local_exit,
  link_lost,
  restart,
  fence,  ///< the resource manager ends a process that is declared dead
  death,
  loss,       ///< the network loses a message
  stall,      ///< a rank stops for some time
  stall_end,  ///< the rank goes on
  departure,  ///< a message that has waited for the NIC enters the network
};

/// An actor that dies within a step, when it has sent so many messages and done so many actions in
/// it.
struct OrderedDeath {
  ActorId actor = kNobody;
  std::uint64_t after = 0;
};

/// One step of a stated order.
struct OrderedStep {
  OrderedEvent event = OrderedEvent::message;
  ActorId actor = kNobody;  ///< to whom it happens
  /// The sender of a message; the receiver of one that leaves; the dead of a notice; kNobody: any.
  ActorId peer = kNobody;
  std::uint64_t detail = 0;  ///< messages: the kind; timers: the key; computations: the tag
  double stall_s = 0.0;      ///< how long a stall lasts
  std::uint32_t nth = 0;     ///< of several that are alike, the oldest first, counted from 0
  std::vector<OrderedDeath> deaths;
  /// What the workload chooses within the step, if its choices are open; 0 where the list ends.
  std::vector<std::uint64_t> choices;
};

/// The order in which things happen in a run. What comes after the last step happens in the order
/// in which it was scheduled.
struct RunOrder {
  std::vector<OrderedDeath> deaths_at_start;
  std::vector<std::uint64_t> choices_at_start;
  std::vector<OrderedStep> steps;
  bool departures_wait = false;  ///< whether a message waits for a shared NIC is a choice

  [[nodiscard]] bool has_deaths() const {
    return !deaths_at_start.empty() ||
           std::any_of(steps.begin(), steps.end(), [](const OrderedStep& step) {
             return step.event == OrderedEvent::death || !step.deaths.empty();
           });
  }
};

/// One point of a scenario, fully resolved: everything that an engine needs except seed and
/// replication.
struct RunSpec {
  PlatformSpec platform;
  ComponentChoice components[kFamilies];                 ///< indexed by Family
  std::vector<faults::FaultSpec> faults;                 ///< at stated moments; some kill nobody
  std::vector<faults::FaultSourceChoice> fault_sources;  ///< sources that draw faults or read them
  std::vector<faults::PartitionSpec> partitions;
  std::vector<faults::SlowSpec> slow;
  StopSpec stop;
  /// If set, the run costs no time, and every step of the order takes one millisecond.
  std::optional<RunOrder> order;
  bool allow_unsafe = false;
  /// If true, the engine counts the state of the run anew now and then (docs/architecture.md),
  /// which changes no result. Scenarios have no key for it: tests, searches and debug builds set
  /// it.
  bool checks_state = kDebugBuild;
  /// If true, the driver of the run makes the choices of the workload (WorkloadContext::choose),
  /// and random streams draw nothing. Scenarios have no key for it: without_costs sets it.
  bool branches_at_choices = false;
  /// If true, the driver of the run can let actors die. Scenarios have no key for it: without_costs
  /// sets it.
  bool driver_kills = false;

  [[nodiscard]] const ComponentChoice& component(Family family) const {
    return components[static_cast<std::size_t>(family)];
  }
  /// Does the resource manager end a process that is declared dead while it lives?
  [[nodiscard]] bool fences() const {
    const bool recovers = component(Family::message_logging).registration != nullptr ||
                          component(Family::transactions).registration != nullptr;
    return platform.fencing.by.value_or(recovers ? FencedBy::resource_manager : FencedBy::nobody) ==
           FencedBy::resource_manager;
  }
  /// True if message logging restarts ranks from checkpoints, and there are none: the workload asks
  /// for none, and time makes none due.
  [[nodiscard]] bool restarts_without_checkpoints() const {
    const ComponentChoice& workload = component(Family::workload);
    const Registration* logging = component(Family::message_logging).registration;
    if (workload.registration == nullptr || logging == nullptr ||
        !logging->as<RecoveryTraits>().takes_images)
      return false;
    const auto& times = logging->as<RecoveryTraits>().times_checkpoints;
    if (times && times(component(Family::message_logging).options)) return false;
    const auto& asks = workload.registration->as<WorkloadTraits>().asks_for_checkpoints;
    return !asks || !asks(workload.options);
  }
  /// True if a rank stops for some time at a stated moment.
  [[nodiscard]] bool stalls() const {
    return std::any_of(faults.begin(), faults.end(),
                       [](const faults::FaultSpec& fault) { return fault.stall_s > 0.0; });
  }
  /// True if a fault can take a node, or its daemon.
  [[nodiscard]] bool kills_nodes() const {
    return std::any_of(faults.begin(), faults.end(),
                       [](const faults::FaultSpec& fault) {
                         return fault.kills() && !(fault.nodes.empty() && fault.daemons.empty());
                       }) ||
           std::any_of(fault_sources.begin(), fault_sources.end(), faults::strikes_nodes);
  }
  /// Is a report that a process is dead final, be it true or false? It is where the manager ends
  /// the process, or a protocol acts on the report.
  [[nodiscard]] bool reports_are_final() const {
    return fences() || component(Family::termination).registration != nullptr ||
           component(Family::message_logging).registration != nullptr ||
           component(Family::transactions).registration != nullptr;
  }
  /// True if anybody can die.
  [[nodiscard]] bool has_faults() const {
    return std::any_of(faults.begin(), faults.end(),
                       [](const faults::FaultSpec& fault) { return fault.kills(); }) ||
           has_fatal_sources() || (order && order->has_deaths());
  }
  /// True if a source of faults kills.
  [[nodiscard]] bool has_fatal_sources() const {
    return !std::all_of(fault_sources.begin(), fault_sources.end(), faults::cuts_off);
  }
  /// True if routers can fail.
  [[nodiscard]] bool routers_fail() const {
    return std::any_of(fault_sources.begin(), fault_sources.end(), faults::cuts_off) ||
           std::any_of(faults.begin(), faults.end(),
                       [](const faults::FaultSpec& fault) { return !fault.cut_off.empty(); });
  }
  /// True if some processes cannot reach others for a time.
  [[nodiscard]] bool is_ever_cut() const { return !partitions.empty() || routers_fail(); }
};

/// The name of a run's protocol of that family, or "none".
inline std::string protocol_of(const RunSpec& spec, Family family) {
  const Registration* protocol = spec.component(family).registration;
  return protocol == nullptr ? "none" : protocol->name;
}

/// What components may know about the job of a run.
inline JobShape job_shape(const RunSpec& spec) {
  const ComponentChoice& workload = spec.component(Family::workload);
  JobShape shape = job_shape(spec.platform);
  shape.starts_at_root =
      workload.registration != nullptr &&
      workload.registration->as<WorkloadTraits>().starts_at_root &&
      !(workload.registration->as<WorkloadTraits>().starts_everywhere &&
        workload.registration->as<WorkloadTraits>().starts_everywhere(workload.options));
  faults::FaultTarget target = fault_target(spec.platform);
  target.job = shape;
  shape.mtbf_s = faults::mtbf_of(spec.fault_sources, target);
  shape.reports_are_final = spec.reports_are_final();
  shape.orders_local_events = spec.component(Family::termination).registration != nullptr ||
                              (workload.registration != nullptr &&
                               !workload.registration->as<WorkloadTraits>().driven_by_messages);
  shape.has_transactions = spec.component(Family::transactions).registration != nullptr;
  return shape;
}

}  // namespace faultline::scenario
