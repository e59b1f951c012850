// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/core/random.hpp"
#include "sim/core/registry.hpp"
#include "sim/faults/victim_placement.hpp"

namespace faultline::faults {

/// How long the repair of a node takes that has failed.
struct RepairOptions {
  std::string law = "exponential";
  std::optional<double> mean_s;
  std::optional<double> mu;
  std::optional<double> sigma;

  static const OptionSet<RepairOptions>& options();
};

/// What the option `repair` of a source says.
inline constexpr const char* kRepairDoc =
    "how long it takes until what has failed is in operation again, drawn for each node or other "
    "component; null: for ever";

/// The problems of the option `repair` of a source with these victims.
std::vector<OptionProblem> check_repair(const std::optional<RepairOptions>& repair,
                                        const PlacementOptions& where);

/// Draws how long repairs take, all of them independently.
class RepairLaw {
 public:
  /// Without options, no node is repaired. The options must be right (check_repair).
  RepairLaw(const std::optional<RepairOptions>& repair, Stream random);

  /// The times at which so many components are repaired that fail at time_s. Empty if none is.
  std::vector<double> repairs_s(double time_s, std::size_t components);

 private:
  [[nodiscard]] double draw_s();

  std::optional<RepairOptions> repair_;
  Stream random_;
};

}  // namespace faultline::faults
