// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::workloads {

/// Notes "to" with the receiver of every application message that leaves.
inline void observe_sends(test::Job& job) {
  job.script(Family::message_logging, [&job](ActorId) {
    return test::Handlers{
        .sends = [&job](test::ScriptContext& context, std::span<Message* const> batch, bool) {
          for (Message* message : batch) {
            if (message->channel == Family::workload) job.note(context, "to", message->to);
            context.forward(*message);
          }
        }};
  });
}

/// Application messages from each rank to each other.
using Traffic = std::map<std::pair<Rank, Rank>, std::uint64_t>;

inline Traffic traffic(const test::Seen& seen) {
  Traffic found;
  for (const test::Entry& entry : seen.log)
    if (entry.what == "to") ++found[{entry.actor, static_cast<Rank>(entry.value)}];
  return found;
}

/// The machines that are shipped, by name.
inline const std::vector<std::string>& machine_names() {
  static const std::vector<std::string> names{"cori", "intrepid", "jaguar",
                                              "mira", "nacl",     "stampede"};
  return names;
}

}  // namespace faultline::workloads
