// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::failure_detection {

/// Ranks that note each death that they are told of as "failed", and do nothing else. Each keeps
/// the run alive for one second.
inline void listen(test::Job& job) {
  job.script(Family::workload, [&job](ActorId) {
    return test::Handlers{
        .start = [](test::ScriptContext& context) { context.set_timer(1, 1); },
        .peer_failed = [&job](test::ScriptContext& context,
                              Incarnation peer) { job.note(context, "failed", peer.actor); }};
  });
}

/// The ranks that one rank was told of, in the order of their numbers. Daemons are left out.
inline test::Values heard_by(const test::Seen& seen, Rank rank, std::uint32_t processes) {
  test::Values heard;
  for (const std::int64_t actor : seen.values(rank, "failed"))
    if (actor < processes) heard.push_back(actor);
  std::sort(heard.begin(), heard.end());
  return heard;
}

/// "" if each live rank was told of exactly these ranks, and once of each, else what is wrong.
inline std::string differences(const test::Seen& seen, std::uint32_t processes,
                               const std::vector<Rank>& dead) {
  test::Values expected(dead.begin(), dead.end());
  std::sort(expected.begin(), expected.end());
  std::string wrong;
  for (Rank rank = 0; rank < processes; ++rank) {
    if (std::find(dead.begin(), dead.end(), rank) != dead.end()) continue;
    const test::Values heard = heard_by(seen, rank, processes);
    if (heard == expected) continue;
    wrong += "rank " + std::to_string(rank) + " heard of";
    for (const std::int64_t of : heard) wrong += " " + std::to_string(of);
    wrong += "; ";
  }
  return wrong;
}

}  // namespace faultline::failure_detection
