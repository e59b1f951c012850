// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"

namespace faultline::test {

/// Rank 0 asks for the restart of rank 1 at that time. Rank 1 notes its starts and what reaches it.
inline Handlers restarter(Job& job, ActorId self, double time_s,
                          RestartOn where = RestartOn::same_node) {
  Handlers handlers;
  handlers.start = [=, &job](ScriptContext& context) {
    job.note(context, "start");
    if (self == 0) context.set_timer(1000, time_s);
  };
  handlers.timer = [=, &job](ScriptContext& context, std::uint64_t key) {
    if (key == 1000)
      context.restart(context.known(1), where);
    else
      job.note(context, "timer", static_cast<std::int64_t>(key));
  };
  handlers.message = noted_kinds(job);
  handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
    job.note(context, "computed");
  };
  return handlers;
}

}  // namespace faultline::test
