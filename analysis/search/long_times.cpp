// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/long_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

namespace faultline::search {

bool is_timeout(const std::string& option) { return option.ends_with("_timeout_s"); }

double longest_time_s(const RunSpec& spec) {
  const PlatformSpec& platform = spec.platform;
  double longest_s = std::max({platform.silent_link_lost_delay_s, platform.link_lost_delay_s,
                               platform.local_exit_delay_s, platform.restart_delay_s,
                               platform.start_delay_s, longest_send_s(spec)});
  for (const FaultSpec& fault : spec.faults) longest_s = std::max(longest_s, fault.stall_s);
  for (const ComponentChoice& choice : spec.components) {
    if (choice.registration == nullptr) continue;
    for (const OptionSpec& option : choice.registration->options) {
      const auto given = choice.options.find(option.name);
      if (option.unit != "s" || is_timeout(option.name) || given == choice.options.end()) continue;
      if (const auto* time_s = std::get_if<double>(&given->second);
          time_s != nullptr && std::isfinite(*time_s))
        longest_s = std::max(longest_s, *time_s);
    }
  }
  return longest_s;
}

double longest_send_s(const RunSpec& spec) {
  double longest_B = 0.0;
  for (const ComponentChoice& choice : spec.components)
    if (choice.registration != nullptr)
      for (const OptionSpec& option : choice.registration->options) {
        const auto given = choice.options.find(option.name);
        if (option.unit != "B" || given == choice.options.end()) continue;
        if (const auto* bytes = std::get_if<std::int64_t>(&given->second); bytes != nullptr)
          longest_B = std::max(longest_B, static_cast<double>(*bytes));
      }
  return longest_B / spec.platform.machine.nic_bandwidth_Bps;
}

}  // namespace faultline::search
