// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::failure_detection {

/// Lets the ranks of a job note of whose death they are told: "failed".
inline void note_deaths(test::Job& job) {
  job.script(Family::workload, [&job](ActorId) {
    return test::Handlers{.peer_failed = [&job](test::ScriptContext& context, Incarnation peer) {
      job.note(context, "failed", peer.actor);
    }};
  });
}

/// How many messages of this kind, which some failure detector declares, have been sent.
inline double messages(const test::Seen& seen, const std::string& kind) {
  const auto& all = registrations();
  if (std::none_of(all.begin(), all.end(), [&](const Registration& registration) {
        const auto& kinds = registration.message_kinds;
        return registration.family == Family::failure_detection &&
               std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
      }))
    throw std::logic_error("no such kind: " + kind);
  const auto& metrics = seen.result.metrics.values();
  const auto found = metrics.find("detection_messages." + kind);
  return found == metrics.end() ? 0.0 : found->second.value_or(0.0);
}

/// When ranks were told of the death of this actor, in order.
inline test::Times told_s(const test::Seen& seen, ActorId dead) {
  test::Times times_s;
  for (const test::Entry& entry : seen.log)
    if (entry.what == "failed" && entry.value == std::int64_t{dead})
      times_s.push_back(entry.time_s);
  std::sort(times_s.begin(), times_s.end());
  return times_s;
}

/// How often this rank was told of that death.
inline std::int64_t times_told(const test::Seen& seen, Rank rank, ActorId dead) {
  const test::Values told = seen.values(rank, "failed");
  return std::count(told.begin(), told.end(), std::int64_t{dead});
}

/// Runs on for that long after the last fault, whatever happens.
inline void stop_at(test::Job& job, double time_s) {
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = time_s;
}

}  // namespace faultline::failure_detection
