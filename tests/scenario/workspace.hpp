// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {

/// A folder of its own with a small machine, removed at the end.
class Workspace {
 public:
  Workspace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "faultline-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    write("tiny.json", machine_text());
  }
  ~Workspace() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  Workspace(Workspace&&) = delete;
  Workspace& operator=(Workspace&&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  /// Names of all files in the folder.
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.insert(entry.path().filename().string());
    return names;
  }

  /// The errors that the front-end finds in a scenario text, "" for none.
  [[nodiscard]] std::string errors(const std::string& text,
                                   const std::vector<std::string>& sets = {}) const {
    try {
      parse_scenario(text, path("s.json"), {.sets = sets}, backends);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  /// The errors of the good scenario below after these --set.
  [[nodiscard]] std::string errors_after(const std::vector<std::string>& sets) const {
    return errors(good(), sets);
  }

  [[nodiscard]] Scenario scenario_after(const std::vector<std::string>& sets) const {
    return parse_scenario(good(), path("s.json"), {.sets = sets}, backends);
  }

  /// What the readers above are given: no look into platform files.
  ScenarioBackends backends{.simgrid = true, .inspect_xml = {}};

  /// A scenario without errors; tests break one thing in it.
  static std::string good() {
    return R"({"schema_version": 1, "name": "good", "seed": 7, "replications": 2,
      "platform": {"machine": "tiny.json", "processes": 16, "processes_per_node": 4},
      "workload": {"name": "token-ring", "stop_probability": 0.1},
      "termination": {"name": "cda"}})";
  }

  /// 8 nodes of 4 threads.
  static std::string machine_text() {
    return R"({"schema_version": 1, "name": "tiny", "description": "eight nodes",
      "topology": {"kind": "torus", "dimensions": [4, 2]},
      "nodes": {"value": 8, "unit": "nodes", "status": "estimated", "source": "assumed"},
      "cores_per_node": {"value": 2, "unit": "cores", "status": "estimated", "source": "assumed"},
      "hardware_threads_per_node":
        {"value": 4, "unit": "threads", "status": "estimated", "source": "assumed"},
      "send_overhead_s": {"value": 1e-6, "unit": "s", "status": "estimated", "source": "assumed"},
      "receive_overhead_s":
        {"value": 2e-6, "unit": "s", "status": "estimated", "source": "assumed"},
      "gap_s": {"value": 3e-7, "unit": "s", "status": "estimated", "source": "assumed"},
      "nic_bandwidth_Bps":
        {"value": 1e9, "unit": "B/s", "status": "estimated", "source": "assumed"},
      "nic_latency_s": {"value": 4e-7, "unit": "s", "status": "estimated", "source": "assumed"},
      "hop_latency_s": {"value": 5e-8, "unit": "s", "status": "estimated", "source": "assumed"},
      "link_bandwidth_Bps":
        {"value": 2e9, "unit": "B/s", "status": "estimated", "source": "assumed"},
      "local_latency_s": {"value": 6e-7, "unit": "s", "status": "estimated", "source": "assumed"},
      "local_bandwidth_Bps":
        {"value": 3e9, "unit": "B/s", "status": "estimated", "source": "assumed"}})";
  }

 private:
  std::filesystem::path folder_;
};

inline std::size_t lines_in(const std::string& text) {
  if (text.empty()) return 0;
  std::size_t lines = 1;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  return lines;
}

}  // namespace faultline::scenario
