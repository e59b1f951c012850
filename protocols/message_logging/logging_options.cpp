// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/logging_options.hpp"

#include <variant>

#include "sim/core/workload_traits.hpp"

namespace faultline::message_logging {

bool times_checkpoints(const OptionValues& values) {
  return !std::holds_alternative<std::monostate>(values.at("checkpoint_interval_s"));
}

/// A layer that is quiet keeps back the sends for which such a program waits.
std::vector<OptionProblem> check_interval(const OptionValues& values, const Registration& workload,
                                          const OptionValues& of_workload) {
  if (!times_checkpoints(values)) return {};
  const auto& traits = workload.as<WorkloadTraits>();
  const bool asks = traits.asks_for_checkpoints && traits.asks_for_checkpoints(of_workload);
  if (!asks && !traits.goes_on_when_sent) return {};
  return {{"checkpoint_interval_s",
           "expected null, because " + workload.name + " asks for checkpoints itself"}};
}

}  // namespace faultline::message_logging
