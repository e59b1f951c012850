// SPDX-License-Identifier: Apache-2.0

// Many messages to one process at once: what the end of work looks like under credit distribution.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

TEST_CASE("a thousand messages to one process at once arrive on the simgrid engine") {
  platform::Machine machine = quick_machine(1000);
  machine.topology = platform::Torus{{10, 10, 10}};
  Job job(1000, machine);
  job.script(Family::workload, [&job](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self > 0) context.send(0, 0, 16);
    };
    handlers.message = [&job](ScriptContext& context, const Message&) { job.note(context, "got"); };
    return handlers;
  });
  const Seen seen = job.run(scenario::EngineKind::simgrid);
  CHECK(seen.count("got") == 999);
  CHECK(seen.result.outcome == Outcome::finished);
}

}  // namespace faultline::engine
