// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/inherited_checkpoints.hpp"

#include <string>
#include <variant>

namespace faultline::scenario {
namespace {

constexpr const char* kIterations = "checkpoint_iterations";
constexpr const char* kWhere = "checkpoint";

/// True if the component has such an option, which the scenario leaves open.
bool is_open(const OptionValues& options, const char* name) {
  const auto found = options.find(name);
  return found != options.end() && std::holds_alternative<std::monostate>(found->second);
}

}  // namespace

bool takes_checkpoints(const OptionValues& transactions) {
  const auto found = transactions.find(kWhere);
  if (found == transactions.end()) return false;
  const auto* const where = std::get_if<std::string>(&found->second);
  return where != nullptr && *where != "none";
}

void inherit_checkpoints(RunSpec& point) {
  OptionValues& own = point.components[index_of(Family::transactions)].options;
  if (!own.contains(kWhere)) return;
  const OptionValues& program = point.component(Family::workload).options;
  const bool asks = program.contains(kIterations) && !is_open(program, kIterations);
  if (is_open(own, kWhere)) own[kWhere] = std::string(asks ? "partner" : "none");
  if (takes_checkpoints(own) && asks && is_open(own, kIterations) &&
      is_open(own, "checkpoint_interval_s"))
    own[kIterations] = program.at(kIterations);
}

}  // namespace faultline::scenario
