// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/platform/machine.hpp"
#include "sim/scenario/declarations.hpp"

namespace faultline::scenario {

/// One range of sizes as it is written. What it does not state is the machine's single value.
struct StatedCost {
  std::uint64_t from_bytes = 0;
  std::optional<double> send_overhead_s;
  std::optional<double> receive_overhead_s;
  std::optional<double> latency_s;
  std::optional<double> byte_s;

  static const OptionSet<StatedCost>& options();
};

/// What a machine file or a scenario states by size.
struct StatedCosts {
  std::vector<StatedCost> between_nodes;
  std::vector<StatedCost> within_node;
};

/// A list of costs by size that a machine file, or `platform.overheads`, can have.
struct CostTable {
  const char* name;
  const char* doc;
  std::vector<StatedCost> StatedCosts::*stated;
  std::vector<platform::MessageCost> platform::Machine::*costs;
};

/// `costs` and `local_costs`.
const std::vector<CostTable>& cost_tables();

/// Reads such a list. `is_sourced`: its values are objects with unit, status and source, as in a
/// machine file. Adds all errors to the problems.
std::vector<StatedCost> read_cost_table(const json::JsonValue& list, const std::string& path,
                                        bool is_sourced, json::Problems& problems);

/// Can a machine file state this value by size instead?
bool may_be_by_size(const std::string& name);

/// What stands for a single value of that name that a machine file leaves out: what the first range
/// has. Nothing if there is a range that does not state it.
std::optional<double> in_place_of(const std::string& name, const StatedCosts& stated);

/// Gives the machine costs by size, and its single values for what they do not state. A list that
/// is empty leaves what the machine has. Adds a problem if a message would take less time than a
/// shorter one, or a byte less than NIC and links, or the memory, need for it. `path` is where the
/// lists stand; "" in a machine file.
void set_costs(platform::Machine& machine, const StatedCosts& stated, const std::string& path,
               json::Problems& problems);

/// Gives the machine another time or bandwidth, and changes its costs by size with it: times by the
/// same difference, those of a byte by the same factor.
void change_at_all_sizes(platform::Machine& machine, const MachineCost& cost, double value);

/// Costs by size as JSON, without sources.
json::JsonValue costs_json(const std::vector<platform::MessageCost>& costs);

}  // namespace faultline::scenario
