// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/long_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

namespace faultline::search {

namespace {

/// The largest value that an option in this unit has, in any component: no less than 0, and finite.
template <class Number, class Counts>
double largest_in(const scenario::RunSpec& spec, const std::string& unit, Counts counts) {
  double largest = 0.0;
  for (const scenario::ComponentChoice& choice : spec.components) {
    if (choice.registration == nullptr) continue;
    for (const OptionSpec& option : choice.registration->options) {
      const auto given = choice.options.find(option.name);
      if (option.unit != unit || !counts(option.name) || given == choice.options.end()) continue;
      const auto* const number = std::get_if<Number>(&given->second);
      if (number == nullptr) continue;
      if (const auto value = static_cast<double>(*number); std::isfinite(value))
        largest = std::max(largest, value);
    }
  }
  return largest;
}

}  // namespace

bool is_timeout(const std::string& option) { return option.ends_with("_timeout_s"); }

bool is_cost(const std::string& option) {
  return option.ends_with("cpu_s") || option.ends_with("delay_s");
}

std::map<std::string, double*> times_of(scenario::ComponentChoice& choice) {
  std::map<std::string, double*> times;
  for (const OptionSpec& option : choice.registration->options) {
    const auto given = choice.options.find(option.name);
    if (option.unit != "s" || given == choice.options.end()) continue;
    if (auto* const time_s = std::get_if<double>(&given->second); time_s != nullptr)
      times.emplace(option.name, time_s);
  }
  return times;
}

double longest_time_s(const scenario::RunSpec& spec) {
  const scenario::PlatformSpec& platform = spec.platform;
  double longest_s = std::max({platform.silent_link_lost_delay_s, platform.link_lost_delay_s,
                               platform.local_exit_delay_s, platform.restart_delay_s,
                               platform.start_delay_s, longest_send_s(spec)});
  if (platform.delay_noise) longest_s = std::max(longest_s, platform.delay_noise->mean_s);
  if (platform.os_noise) longest_s = std::max(longest_s, platform.os_noise->length_s);
  for (const faults::FaultSpec& fault : spec.faults) longest_s = std::max(longest_s, fault.stall_s);
  for (const faults::PartitionSpec& cut : spec.partitions)
    if (cut.waits) longest_s = std::max(longest_s, cut.to_s - cut.from_s);
  const auto is_none = [](const std::string& option) { return !is_timeout(option); };
  return std::max(longest_s, largest_in<double>(spec, "s", is_none));
}

double longest_send_s(const scenario::RunSpec& spec) {
  const auto any = [](const std::string&) { return true; };
  const platform::Machine& machine = spec.platform.machine;
  double bandwidth_Bps = machine.nic_bandwidth_Bps;
  for (const double narrow_Bps : {machine.link_bandwidth_Bps, machine.local_bandwidth_Bps})
    if (narrow_Bps > 0) bandwidth_Bps = std::min(bandwidth_Bps, narrow_Bps);
  const double bytes = largest_in<std::int64_t>(spec, "B", any);
  double longest_s = bytes / bandwidth_Bps;
  for (const auto* costs : {&machine.costs, &machine.local_costs})
    for (const platform::MessageCost& cost : *costs)
      longest_s = std::max(longest_s, cost.latency_s + bytes * cost.byte_s);
  return longest_s;
}

}  // namespace faultline::search
