// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/platform/machine.hpp"

namespace faultline::scenario {

/// One key of a topology in a machine file: a count or a list of counts.
struct TopologyField {
  std::string name;
  bool is_list = false;  ///< a list of counts, else one count
  std::uint32_t minimum = 1;
  std::uint32_t maximum = 65536;
  std::string doc;
};

/// A kind of topology that a machine file can name.
struct TopologyKind {
  std::string name;
  std::string doc;
  std::vector<TopologyField> fields;
};

/// The kinds of topology, for reading and for the schema.
const std::vector<TopologyKind>& topology_kinds();

/// True if this is the tree of a machine file: it has a topology or a value of a machine, and
/// neither the platform nor the workload of a scenario.
bool is_machine(const json::JsonValue& root);

/// The path of the file of a machine. Finds it, and throws if there is no such name, as
/// load_machine does.
std::string machine_path(const std::string& name_or_path, const std::string& relative_to);

/// Reads the machine file of that path. Throws UsageError "FILE: PATH: what is wrong".
platform::Machine read_machine_file(const std::string& path);

/// Reads the tree of a machine file, in which every value has a unit, a status and a source. Adds
/// all errors to the problems.
platform::Machine read_machine(const json::JsonValue& root, json::Problems& problems);

/// Reads values that a scenario states instead of the machine's own costs, by their names in a
/// machine file. `path` is where the scenario states them. Adds all errors to the problems.
void change_costs(platform::Machine& machine, const json::JsonValue& stated,
                  const std::string& path, json::Problems& problems);

/// Where a value of a machine file comes from: whether it was measured, published or estimated.
struct ValueStatus {
  std::string value;   ///< the key of the value, or its path: "costs[1].byte_s"
  std::string status;  ///< one of value_statuses
};

/// The statuses of a machine's values and, if it has one, of its topology, in the order of the
/// file. Finds the machine, and throws, as load_machine does.
std::vector<ValueStatus> load_value_statuses(const std::string& name_or_path,
                                             const std::string& relative_to);

/// The values of a machine as JSON, without their sources.
json::JsonValue machine_json(const platform::Machine& machine);

}  // namespace faultline::scenario
