// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/point_notes.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "sim/json/json_value.hpp"
#include "sim/platform/transit.hpp"
#include "sim/scenario/life_bound.hpp"

namespace faultline::scenario {

void note_losses(const RunSpec& point, json::Problems& problems) {
  const Registration* detector = point.component(Family::failure_detection).registration;
  if (point.platform.detection_loss_probability == 0.0) return;
  if (detector != nullptr && !detector->message_kinds.empty()) return;
  problems.note("platform.detection_loss_probability",
                "has no effect: " + (detector == nullptr ? "there is no failure detector"
                                                         : detector->name + " sends no messages"));
}

void note_cuts(const RunSpec& point, json::Problems& problems) {
  const Registration* workload = point.component(Family::workload).registration;
  const Registration* transactions = point.component(Family::transactions).registration;
  const bool gives_up = transactions != nullptr &&
                        std::ranges::any_of(transactions->options, &OptionSpec::awaits_message);
  const bool loses = point.routers_fail() ||
                     std::ranges::any_of(point.partitions, [](const faults::PartitionSpec& cut) {
                       return !cut.waits;
                     });
  if (!loses || workload == nullptr || !workload->as<WorkloadTraits>().try_blocks || gives_up)
    return;
  problems.note(point.partitions.empty() ? "faults" : "faults.partition",
                "nobody sends the lost messages again: unless a failure detector notices the cut "
                "before it heals, whatever waits for them in " +
                    workload->name + " waits for ever");
}

void note_late_starts(const RunSpec& point, json::Problems& problems) {
  const double end_s = point.stop.time_s;
  const auto note = [&](const std::string& path, double from_s) {
    if (from_s >= end_s)
      problems.note(path, "has no effect: it begins at " + json::shortest(from_s) +
                              " s, and the run ends at stop.time_s, " + json::shortest(end_s) +
                              " s");
  };
  const auto path_of = [](const char* key, std::size_t index, std::size_t count) {
    return count == 1 ? std::string(key) : json::item_path(key, index);
  };
  for (std::size_t i = 0; i < point.partitions.size(); ++i)
    note(path_of("faults.partition", i, point.partitions.size()), point.partitions[i].from_s);
  for (std::size_t i = 0; i < point.slow.size(); ++i)
    note(path_of("faults.slow", i, point.slow.size()), point.slow[i].from_s);
  for (std::size_t i = 0; i < point.faults.size(); ++i) {
    const faults::FaultSpec& fault = point.faults[i];
    // One at an event or a mark is refused as well.
    if (!fault.cut_off.empty() && fault.time_s)
      note(json::item_path("faults.at", i), *fault.time_s);
  }
}

void note_memory(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems) {
  const double memory_B = point.platform.machine.memory_per_node_B;
  if (memory_B == 0.0) return;
  const std::uint32_t ranks = std::min(point.platform.processes_per_node, point.platform.processes);
  for (const auto& [family, option] : {std::pair{Family::message_logging, "image_bytes"},
                                       {Family::workload, "state_bytes"},
                                       {Family::workload, "object_bytes"}}) {
    const ComponentChoice& choice = point.component(family);
    const auto found = choice.options.find(option);
    if (found == choice.options.end() || !std::holds_alternative<std::int64_t>(found->second))
      continue;
    const auto bytes = static_cast<double>(std::get<std::int64_t>(found->second));
    if (bytes * ranks <= memory_B) continue;
    problems.note(json::member_path(paths[index_of(family)], option),
                  "does not fit: a node of " + point.platform.machine.name + " has a memory of " +
                      std::to_string(static_cast<std::uint64_t>(memory_B)) + " bytes" +
                      (ranks == 1 ? "" : ", and holds " + std::to_string(ranks) + " ranks"));
  }
}

void note_unwatched(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems) {
  const bool brings_back = point.component(Family::message_logging).registration != nullptr ||
                           point.component(Family::transactions).registration != nullptr;
  if (!brings_back || !point.has_faults()) return;
  const auto unwatched = [&](std::uint16_t process_life, std::uint16_t daemon_life) {
    return bound_of_life(point, process_life, daemon_life).value_or(DetectionBound()).unwatched;
  };
  const std::string of_process = unwatched(1, 0);
  const std::string of_node = point.kills_nodes() ? unwatched(0, 1) : "";
  const std::string& path = paths[index_of(Family::failure_detection)];
  if (!of_process.empty())
    problems.note(path,
                  "does not watch a process that has been started again, so that its death "
                  "is a missed-death: " +
                      of_process);
  else if (!of_node.empty())
    problems.note(path,
                  "does not watch a node that has been repaired, so that its death is a "
                  "missed-death: " +
                      of_node);
}

void note_redundant(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems) {
  for (const StackRefusal& warning : warnings_of(parts_of(point), demands_of(point)))
    if (warning.component->family == Family::termination)
      problems.note(paths[index_of(Family::termination)],
                    warning.component->name + " " + warning.words);
}

void note_short_waits(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems) {
  if (!point.platform.xml_path.empty() || job_shape(point.platform).nodes < 2) return;
  const platform::Machine& machine = point.platform.machine;
  const platform::Route nearest = {
      .latency_s = machine.hop_latency_s, .bandwidth_Bps = machine.link_bandwidth_Bps, .hops = 1};
  const double least_s = platform::half_round_trip_s(nearest, machine, 0.0);
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const ComponentChoice& choice = point.components[family];
    if (choice.registration == nullptr) continue;
    for (const OptionSpec& spec : choice.registration->options) {
      const auto given = choice.options.find(spec.name);
      if (!spec.awaits_message || given == choice.options.end()) continue;
      const double* wait_s = std::get_if<double>(&given->second);
      if (wait_s == nullptr || *wait_s >= least_s) continue;
      problems.note(json::member_path(paths[family], spec.name),
                    "is too short for " + machine.name + ", on which a message between two nodes " +
                        "takes at least " + json::shortest(least_s) + " s");
    }
  }
}

}  // namespace faultline::scenario
