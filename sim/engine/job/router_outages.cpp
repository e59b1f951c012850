// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/job/router_outages.hpp"

#include <string>

#include "sim/core/error.hpp"

namespace faultline::engine {

namespace {

constexpr std::size_t kMostOutages = 10'000'000;

void draw_outages(const faults::FaultSourceChoice& choice, double end_s,
                  const faults::FaultTarget& target, std::vector<faults::Outage>& outages) {
  const auto source = choice.registration->make(choice.options, target, choice.key);
  std::size_t failures = 0;
  for (auto time_s = source->next_time_s(); time_s && *time_s <= end_s;
       time_s = source->next_time_s()) {
    const std::vector<ActorId> daemons = source->victims([](Rank) { return kNobody; });
    const std::vector<double> repairs_s = source->repairs_s();
    for (std::size_t i = 0; i < daemons.size(); ++i)
      outages.push_back({.node = daemons[i] - target.job.processes,
                         .from_s = *time_s,
                         .to_s = repairs_s.empty() ? kNever : repairs_s[i]});
    // A failure of a router outside the job cuts nobody off.
    if (outages.size() > kMostOutages || ++failures > kMostOutages)
      throw UsageError("faults." + choice.key + ": routers fail, or cut nodes off, more than " +
                       std::to_string(kMostOutages) +
                       " times until stop.time_s; expected rarer failures, or a shorter run");
  }
}

}  // namespace

std::vector<faults::Outage> router_outages(const scenario::RunSpec& spec,
                                           const faults::FaultTarget& target) {
  std::vector<faults::Outage> outages;
  for (const faults::FaultSpec& fault : spec.faults)
    for (const NodeId node : fault.cut_off)
      outages.push_back(
          {.node = node, .from_s = *fault.time_s, .to_s = *fault.time_s + fault.repair_s});
  for (const faults::FaultSourceChoice& source : spec.fault_sources)
    if (faults::cuts_off(source)) draw_outages(source, spec.stop.time_s, target, outages);
  return outages;
}

}  // namespace faultline::engine
