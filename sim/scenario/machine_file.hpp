#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/platform/machine.hpp"

namespace faultline {

/// One list or count of a topology, as machine files write it.
struct TopologyField {
  std::string name;
  bool is_list = false;  ///< of counts, else one count
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

/// Is this the tree of a machine file? By its topology or one of its values, and without the
/// platform and workload of a scenario.
bool is_machine(const JsonValue& root);

/// Reads the machine file of that path. Throws UsageError "FILE: PATH: what is wrong".
Machine read_machine_file(const std::string& path);

/// Reads a machine file's tree: every value with unit, status and source.
Machine read_machine(const JsonValue& root, Problems& problems);

/// Whether a value of a machine file was measured, published or estimated.
struct ValueStatus {
  std::string value;   ///< its key
  std::string status;  ///< one of value_statuses
};

/// The statuses of a machine's values, the topology's among them if it has one, in the order of the
/// file. Finds the machine and throws as load_machine does.
std::vector<ValueStatus> load_value_statuses(const std::string& name_or_path,
                                             const std::string& relative_to);

/// The resolved values, without their sources.
JsonValue machine_json(const Machine& machine);

}  // namespace faultline
