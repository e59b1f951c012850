// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/router_checks.hpp"

#include <algorithm>
#include <string>

#include "sim/json/json_value.hpp"

namespace faultline::scenario {
namespace {

constexpr double kMostFailures = 1e5;

/// All failures are known before the run, so there must not be too many.
void check_rate(const RunSpec& point, const faults::FaultSourceChoice& source,
                json::Problems& problems) {
  if (!source.registration->mtbf_s || faults::limit_of(source)) return;
  const auto mtbf_s = source.registration->mtbf_s(source.options, fault_target(point.platform));
  if (!mtbf_s || point.stop.time_s / *mtbf_s <= kMostFailures) return;
  problems.add("faults." + source.key,
               "routers would fail every " + json::shortest(*mtbf_s) + " s until stop.time_s, " +
                   json::shortest(point.stop.time_s) +
                   "; expected at most 100,000 failures in that time, or a limit");
}

}  // namespace

void check_routers(const RunSpec& point, json::Problems& problems) {
  bool is_endless = std::ranges::any_of(point.faults, [](const faults::FaultSpec& fault) {
    return !fault.cut_off.empty() && fault.repair_s == kNever;
  });
  for (const faults::FaultSourceChoice& source : point.fault_sources) {
    if (!faults::cuts_off(source)) continue;
    check_rate(point, source, problems);
    is_endless = is_endless || !faults::is_repaired(source);
  }
  if (is_endless && point.stop.when == StopWhen::all_reported)
    problems.add("stop.when",
                 R"("all-reported" may never come under routers that fail and are not repaired, )"
                 "because their nodes are told of no death; give them a repair");
}

}  // namespace faultline::scenario
