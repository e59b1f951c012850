// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"

namespace faultline::engine {

/// Rank 0 asks for the restart of rank 1 at that time. Rank 1 notes its starts and what reaches it.
inline test::Handlers restarter(test::Job& job, ActorId self, double time_s,
                                RestartOn where = RestartOn::same_node) {
  test::Handlers handlers;
  handlers.start = [=, &job](test::ScriptContext& context) {
    job.note(context, "start");
    if (self == 0) context.set_timer(1000, time_s);
  };
  handlers.timer = [=, &job](test::ScriptContext& context, std::uint64_t key) {
    if (key == 1000)
      context.restart(context.known(1), where);
    else
      job.note(context, "timer", static_cast<std::int64_t>(key));
  };
  handlers.message = test::noted_kinds(job);
  handlers.compute_done = [&job](test::ScriptContext& context, std::uint64_t) {
    job.note(context, "computed");
  };
  return handlers;
}

}  // namespace faultline::engine
