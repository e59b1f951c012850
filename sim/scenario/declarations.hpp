#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/platform/machine.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// The plain values at the top of a scenario.
struct ScenarioOptions {
  std::uint32_t schema_version = 1;
  std::string name;
  std::string engine = "loggp";
  std::uint64_t seed = 1;
  std::uint32_t replications = 1;
  bool allow_unsafe = false;
};

/// `platform` as it is written.
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
  double local_exit_delay_s = 1e-3;
  double link_lost_delay_s = 1e-3;
};

/// `platform.overheads`: what a SimGrid platform file lacks.
struct OverheadOptions {
  double send_overhead_s = 0;
  double receive_overhead_s = 0;
  double gap_s = 0;
  std::optional<double> nic_bandwidth_Bps;
  std::optional<std::uint32_t> cores_per_host;
  std::optional<double> local_latency_s;
  std::optional<double> local_bandwidth_Bps;
};

/// The moment of one entry of `faults.at`; the victims are lists beside it.
struct FaultMoment {
  std::optional<double> time_s;
  std::optional<std::uint64_t> event;
};

/// `stop` as it is written.
struct StopOptions {
  std::optional<std::string> when;
  double grace_s = 1.0;
  double time_s = 60.0;
  std::uint64_t events = 1000000000;
};

/// A list of victims in an entry of `faults.at`.
struct VictimList {
  std::string name;
  std::string doc;
};

/// An object of the scenario that names a component.
struct FamilyDeclaration {
  Family family;
  std::string doc;
};

/// The declarations of the scenario's fixed objects, for reading, the schema and `list` alike.
const OptionSet<ScenarioOptions>& scenario_options();
const OptionSet<PlatformOptions>& platform_options();
const OptionSet<OverheadOptions>& overhead_options();
const OptionSet<FaultMoment>& fault_moment_options();
const OptionSet<MarkSpec>& mark_options();
const OptionSet<StopOptions>& stop_options();
const std::vector<VictimList>& victim_lists();
const std::vector<FamilyDeclaration>& families();

/// The values of a machine file, each of which is an object of value, unit, status and source.
const OptionSet<Machine>& machine_values();

/// The statuses that a value of a machine file can have.
const std::vector<std::string>& value_statuses();

/// The values of a swept place as a range; exactly one of times and step.
struct SweepRange {
  double from = 0;
  double to = 0;
  std::optional<double> times;
  std::optional<double> step;
};
const OptionSet<SweepRange>& sweep_range_options();

/// How many replications a point of a sweep gets: until the mean of a metric is known well enough.
struct Precision {
  std::string metric;
  double relative_half_width = 0;  ///< of the 95 % confidence interval, over the mean
  std::uint32_t most_replications = 1000;
};
const OptionSet<Precision>& precision_options();

}  // namespace faultline
