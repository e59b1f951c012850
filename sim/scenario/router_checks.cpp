// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/router_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

#include "sim/json/json_value.hpp"

namespace faultline::scenario {
namespace {

constexpr std::uint64_t kMostFailures = 100'000;

double time_of(const faults::FaultSourceChoice& source, const char* option, double otherwise) {
  const auto found = source.options.find(option);
  const auto* const time_s =
      found == source.options.end() ? nullptr : std::get_if<double>(&found->second);
  return time_s == nullptr ? otherwise : *time_s;
}

/// All failures are known before the run, so there must not be too many.
void check_rate(const RunSpec& point, const faults::FaultSourceChoice& source,
                json::Problems& problems) {
  const auto limit = faults::limit_of(source);
  if (!source.registration->mtbf_s || (limit && *limit <= kMostFailures)) return;
  const auto mtbf_s = source.registration->mtbf_s(source.options, fault_target(point.platform));
  const double end_s = time_of(source, "end_s", kNever);
  const double span_s = std::min(end_s, point.stop.time_s) - time_of(source, "start_s", 0.0);
  if (!mtbf_s || span_s / *mtbf_s <= static_cast<double>(kMostFailures)) return;
  problems.add(
      "faults." + source.key,
      "routers would fail every " + json::shortest(*mtbf_s) + " s until " +
          (end_s < point.stop.time_s ? "end_s, " + json::shortest(end_s)
                                     : "stop.time_s, " + json::shortest(point.stop.time_s)) +
          "; expected at most 100,000 failures in that time, or a limit of as many");
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
