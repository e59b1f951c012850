// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/platform/machine.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// The plain values at the top level of a scenario.
struct ScenarioOptions {
  std::uint32_t schema_version = 1;
  std::string name;
  std::string engine = "loggp";
  std::uint64_t seed = 1;
  std::uint32_t replications = 1;
  bool allow_unsafe = false;
};

/// `platform`, as the file writes it.
struct PlatformOptions {
  std::optional<std::string> machine;
  std::optional<std::string> xml;
  std::uint32_t processes = 1;
  std::uint32_t processes_per_node = 1;
  std::uint32_t spare_nodes = 0;
  std::uint32_t worker_cores = 1;
  bool whole_machine = false;
  std::string mapping = "block";
  std::string progress = "dedicated";
  std::string ordering = "fifo";
  double unordered_delay_s = 1e-5;
  std::uint32_t packet_bytes = 2048;
  double local_exit_delay_s = 1e-3;
  double link_lost_delay_s = 1e-3;
  double silent_link_lost_delay_s = 480;
  double restart_delay_s = 0;
  std::string when_no_spare = "wait";
  std::string daemon_core = "dedicated";
  double context_switch_s = 0;
  double start_delay_s = 0;
  double detection_loss_probability = 0;
  std::optional<std::uint32_t> nodes_per_power_unit;
};

/// `platform.delay_noise`.
struct DelayNoiseOptions {
  std::string law = "exponential";
  double mean_s = 0;
  double shape = 2.5;
  std::string per = "message";
};

/// `platform.os_noise`. Its nodes are a separate list.
struct OsNoiseOptions {
  double interval_s = 0;
  double length_s = 0;
};

/// `platform.fencing`.
struct FencingOptions {
  std::optional<std::string> by;
  double delay_s = 1.0;
  std::string reach = "all";
};

/// `platform.overheads`: costs that a SimGrid platform file does not give.
struct OverheadOptions {
  double send_overhead_s = 0;
  double receive_overhead_s = 0;
  double gap_s = 0;
  std::optional<double> nic_bandwidth_Bps;
  std::optional<std::uint32_t> cores_per_host;
  std::optional<double> local_latency_s;
  std::optional<double> local_bandwidth_Bps;
};

/// The moment of one entry of `faults.at`, and what happens then. Its victims are separate lists.
struct StatedFaultOptions {
  std::optional<double> time_s;
  std::optional<std::uint64_t> event;
  bool soft = false;
  std::optional<double> stall_s;
  std::optional<double> repair_s;
};

/// An entry of `faults.partition`. Its groups are separate lists.
struct PartitionOptions {
  double from_s = 0;
  std::optional<double> to_s;
  std::string messages = "lost";
};

/// An entry of `faults.slow`. Its nodes are a separate list.
struct SlowOptions {
  double factor = 1;
  double from_s = 0;
  std::optional<double> to_s;
};

/// `stop`, as the file writes it.
struct StopOptions {
  std::optional<std::string> when;
  double grace_s = 1.0;
  double time_s = 60.0;
  std::uint64_t events = 1000000000;
  std::optional<std::uint64_t> memory_bytes;
};

/// A list of ranks or nodes, or of groups of them, in an entry of `faults.at` or another key of
/// `faults`.
struct VictimList {
  std::string name;
  std::string doc;
};

/// The declarations of a scenario's fixed objects. Reading, the schema and `list` all use them.
const OptionSet<ScenarioOptions>& scenario_options();
const OptionSet<PlatformOptions>& platform_options();
const OptionSet<OverheadOptions>& overhead_options();
/// `platform.delay_noise`, and what it does.
const OptionSet<DelayNoiseOptions>& delay_noise_options();
const char* delay_noise_summary();
/// `platform.os_noise`, what it does, and its list of nodes.
const OptionSet<OsNoiseOptions>& os_noise_options();
const char* os_noise_summary();
const VictimList& os_noise_nodes();
/// `platform.fencing`, and what it does.
const OptionSet<FencingOptions>& fencing_options();
const char* fencing_summary();
const OptionSet<StatedFaultOptions>& stated_fault_options();
const OptionSet<faults::MarkSpec>& mark_options();
const OptionSet<PartitionOptions>& partition_options();
const OptionSet<SlowOptions>& slow_options();
const OptionSet<StopOptions>& stop_options();
const std::vector<VictimList>& victim_lists();
/// The groups of a partition: those of nodes, then those of ranks.
const std::vector<VictimList>& partition_lists();
/// Describes in words what `faults.partition` does.
const char* partition_summary();
/// Describes in words what `faults.slow` does, and declares its list of nodes.
const char* slow_summary();
const VictimList& slow_nodes();

/// The values of a machine file. Each is an object with value, unit, status and source.
const OptionSet<platform::Machine>& machine_values();

/// A time or a bandwidth of a machine that decides what a message costs there.
struct MachineCost {
  const char* name;
  double platform::Machine::*member;
};

/// All of them. A scenario may state others in `platform.overheads`.
const std::vector<MachineCost>& machine_costs();

/// The declarations of these values, as options of a scenario: null stands for the machine's own.
const std::vector<OptionSpec>& machine_cost_options();

/// The statuses that a value of a machine file can have.
const std::vector<std::string>& value_statuses();

/// The values of a swept place, written as a range. Exactly one of times and step is set.
struct SweepRange {
  double from = 0;
  double to = 0;
  std::optional<double> times;
  std::optional<double> step;
};
const OptionSet<SweepRange>& sweep_range_options();

/// When a point of a sweep has enough replications: when the mean of a metric is known precisely
/// enough.
struct Precision {
  std::string metric;
  double relative_half_width = 0;  ///< half width of the 95 % confidence interval over the mean
  std::uint32_t most_replications = 1000;
};
const OptionSet<Precision>& precision_options();

}  // namespace faultline::scenario
