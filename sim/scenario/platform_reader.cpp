// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/platform_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "sim/core/error.hpp"
#include "sim/core/file_roles.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/disturbances.hpp"
#include "sim/scenario/machine_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {
namespace {

namespace fs = std::filesystem;

template <class Enum>
Enum choice_index(const std::string& word, const char* option) {
  for (const OptionSpec& spec : platform_options().specs())
    if (spec.name == option)
      return static_cast<Enum>(std::find(spec.choices.begin(), spec.choices.end(), word) -
                               spec.choices.begin());
  return {};
}

/// What the checks need from the platform file. Its links are read when the job runs.
platform::XmlSummary inspected(const PlatformSpec& platform, const platform::XmlInspector& inspect,
                               json::Problems& problems) {
  const std::string path = "platform.xml";
  std::error_code ignored;
  reads_file(platform.xml_path);
  const fs::file_type kind = fs::status(platform.xml_path, ignored).type();
  const std::string expected = ", expected a SimGrid platform file";
  if (kind == fs::file_type::directory) {
    problems.add(path, platform.xml_path + " is a directory and not a file" + expected);
  } else if (kind != fs::file_type::regular && kind != fs::file_type::not_found) {
    problems.add(path, platform.xml_path + " is a device or a pipe" + expected);
  } else if (!std::ifstream(platform.xml_path)) {
    problems.add(path, platform.xml_path + " cannot be read" + expected);
  } else if (inspect) {
    try {
      const std::uint64_t nodes = std::uint64_t{job_shape(platform).nodes} + platform.spare_nodes;
      return *json::FileMemo::read_once<platform::XmlSummary>(
          platform.xml_path + "\n" + std::to_string(nodes),
          [&] { return inspect(platform.xml_path, static_cast<std::uint32_t>(nodes)); });
    } catch (const UsageError& error) {
      problems.add_lines(path, error.what());
    }
  }
  return {};
}

void read_xml(const std::string& name, const OverheadOptions& options, const std::string& directory,
              const ScenarioBackends& backends, PlatformSpec& platform, json::Problems& problems) {
  if (!backends.simgrid) {
    problems.add("platform.xml",
                 "needs SimGrid, and this program was built without it; expected machine");
    return;
  }
  platform.xml_path = (fs::path(directory) / name).string();
  const platform::XmlSummary file = inspected(platform, backends.inspect_xml, problems);
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  if (file.hosts > 0 && file.local_bandwidth_Bps == 0 &&
      !(options.local_latency_s && options.local_bandwidth_Bps))
    problems.note("platform.xml",
                  "its first host has no route to itself, so that only overheads delay messages "
                  "within a host, apart from overheads.local_latency_s and "
                  "overheads.local_bandwidth_Bps");
  const double local_Bps = file.local_bandwidth_Bps > 0 ? file.local_bandwidth_Bps : kUnbounded;
  const std::uint32_t cores = options.cores_per_host.value_or(file.cores_per_host);
  platform.machine = {.name = "xml",
                      .description = {},
                      .topology = platform::Crossbar{file.hosts},
                      .nodes = file.hosts,
                      .cores_per_node = cores,
                      .hardware_threads_per_node = cores,
                      .send_overhead_s = options.send_overhead_s,
                      .receive_overhead_s = options.receive_overhead_s,
                      .gap_s = options.gap_s,
                      .nic_bandwidth_Bps = options.nic_bandwidth_Bps.value_or(kUnbounded),
                      .nic_latency_s = 0,
                      .hop_latency_s = 0,
                      .link_bandwidth_Bps = kUnbounded,
                      .local_latency_s = options.local_latency_s.value_or(file.local_latency_s),
                      .local_bandwidth_Bps = options.local_bandwidth_Bps.value_or(local_Bps)};
}

/// The number of nodes of the machine; the largest number if it is not known.
std::uint32_t known_nodes(const PlatformSpec& platform) {
  return platform.machine.nodes > 0 ? platform.machine.nodes
                                    : std::numeric_limits<std::uint32_t>::max();
}

std::string machine_name(const PlatformSpec& platform) {
  return platform.xml_path.empty() ? platform.machine.name : platform.xml_path;
}

void check_fits(const PlatformSpec& platform, json::Problems& problems) {
  const std::uint32_t threads = platform.machine.hardware_threads_per_node;
  const std::uint64_t nodes = known_nodes(platform);
  const std::string name = machine_name(platform);
  if (platform.processes_per_node > threads) {
    problems.add("platform.processes_per_node",
                 "expected at most " + std::to_string(threads) +
                     ", the hardware threads of a node of " + name + ", got " +
                     std::to_string(platform.processes_per_node) +
                     (platform.xml_path.empty() ? ""
                                                : "(platform.overheads.cores_per_host states how "
                                                  "many a host has)"));
    return;
  }
  const std::uint64_t needed = job_shape(platform).nodes;
  if (needed > nodes) {
    const std::uint64_t fit = nodes * platform.processes_per_node;
    const std::uint64_t most = nodes * threads;
    std::string advice;
    if (platform.processes <= most)
      advice = ", or processes_per_node of at least " +
               std::to_string((platform.processes + nodes - 1) / nodes);
    problems.add("platform.processes", "expected at most " + std::to_string(fit) + " (" + name +
                                           " has " + std::to_string(nodes) +
                                           " nodes, with processes_per_node " +
                                           std::to_string(platform.processes_per_node) + ")" +
                                           advice + ", got " + std::to_string(platform.processes));
  } else if (needed + platform.spare_nodes > nodes) {
    problems.add("platform.spare_nodes", "expected at most " + std::to_string(nodes - needed) +
                                             ": the job's " + std::to_string(needed) +
                                             " nodes leave that many of the " +
                                             std::to_string(nodes) + " of " + name + ", got " +
                                             std::to_string(platform.spare_nodes));
  }
}

PlatformSpec resolved(const PlatformOptions& options) {
  PlatformSpec platform;
  platform.processes = options.processes;
  platform.processes_per_node = options.processes_per_node;
  platform.spare_nodes = options.spare_nodes;
  platform.worker_cores = options.worker_cores;
  platform.whole_machine = options.whole_machine;
  platform.mapping = choice_index<Mapping>(options.mapping, "mapping");
  platform.progress = choice_index<Progress>(options.progress, "progress");
  platform.ordering = choice_index<Ordering>(options.ordering, "ordering");
  platform.unordered_delay_s = options.unordered_delay_s;
  platform.packet_bytes = options.packet_bytes;
  platform.local_exit_delay_s = options.local_exit_delay_s;
  platform.link_lost_delay_s = options.link_lost_delay_s;
  platform.silent_link_lost_delay_s = options.silent_link_lost_delay_s;
  platform.restart_delay_s = options.restart_delay_s;
  platform.when_no_spare = choice_index<WhenNoSpare>(options.when_no_spare, "when_no_spare");
  platform.daemon_core = choice_index<DaemonCore>(options.daemon_core, "daemon_core");
  platform.context_switch_s = options.context_switch_s;
  platform.start_delay_s = options.start_delay_s;
  platform.detection_loss_probability = options.detection_loss_probability;
  platform.nodes_per_power_unit = options.nodes_per_power_unit.value_or(0);
  return platform;
}

void read_machine_or_xml(const PlatformOptions& options, const json::JsonValue* overheads,
                         const std::string& directory, const ScenarioBackends& backends,
                         PlatformSpec& platform, json::Problems& problems) {
  if (options.machine && options.xml) {
    problems.add("platform", "has both machine and xml, expected one of them");
  } else if (options.machine) {
    try {
      platform.machine = load_machine(*options.machine, directory);
      if (overheads != nullptr)
        change_costs(platform.machine, *overheads, "platform.overheads", problems);
    } catch (const UsageError& error) {
      problems.add_lines("platform.machine", error.what());
    }
  } else if (options.xml) {
    const json::JsonValue nothing = json::JsonValue::Object{};
    json::CheckedObject object(overheads != nullptr ? *overheads : nothing, "platform.overheads",
                               problems);
    const OptionValues values = object.options(overhead_options().specs());
    object.finish();
    read_xml(*options.xml, overhead_options().read(values), directory, backends, platform,
             problems);
  } else {
    problems.add("platform", "expected machine (one of " + json::any_of(shipped_machines()) +
                                 ", or the path of a machine file) or xml (the path of a SimGrid "
                                 "platform file)");
  }
}

}  // namespace

PlatformSpec read_platform(const json::JsonValue* value, const std::string& directory,
                           const ScenarioBackends& backends, json::Problems& problems) {
  if (value == nullptr) {
    problems.add("platform", "missing, expected an object with machine and processes");
    return {};
  }
  const std::size_t before = problems.size();
  json::CheckedObject object(*value, "platform", problems);
  const OptionValues values = object.options(platform_options().specs());
  const json::JsonValue* overheads = object.child("overheads");
  const json::JsonValue* delay_noise = object.child("delay_noise");
  const json::JsonValue* os_noise = object.child("os_noise");
  const json::JsonValue* fencing = object.child("fencing");
  object.finish();
  const PlatformOptions options = platform_options().read(values);
  PlatformSpec platform = resolved(options);
  const auto job = problems.size() == before ? std::optional(job_shape(platform)) : std::nullopt;
  if (delay_noise != nullptr) platform.delay_noise = read_delay_noise(*delay_noise, problems);
  if (os_noise != nullptr) platform.os_noise = read_os_noise(*os_noise, job, problems);
  if (fencing != nullptr) platform.fencing = read_fencing(*fencing, problems);
  if (options.detection_loss_probability >= 1)
    problems.add("platform.detection_loss_probability",
                 "expected a number below 1, because a detector that receives no message at all "
                 "cannot work");
  if (object.is_object())
    read_machine_or_xml(options, overheads, directory, backends, platform, problems);
  if (problems.size() == before) check_fits(platform, problems);
  return platform;
}

void check_simgrid_can_hold(const PlatformSpec& platform, json::Problems& problems) {
  // SimGrid can represent all other machines, and finding the part of a torus would take time.
  if (!std::holds_alternative<platform::Dragonfly>(platform.machine.topology)) return;
  try {
    platform::check_simgrid_can_hold(
        platform::partition(platform.machine, job_shape(platform).nodes + platform.spare_nodes,
                            platform.whole_machine));
  } catch (const UsageError& error) {
    problems.add("engine", error.what());
  }
}

}  // namespace faultline::scenario
