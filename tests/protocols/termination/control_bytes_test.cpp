// SPDX-License-Identifier: Apache-2.0

// What the size of control messages costs.

#include "tests/protocols/termination/by_hand.hpp"

namespace faultline::termination {

using namespace test;

TEST_CASE("control messages count their bytes, and take time for them") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors()) {
      const auto run = [&](const OptionValues& options) {
        Job job(2);
        follow(job, {{.rank = 0, .sends = {{1, 1}}}}, true);
        job.detector(detector, options);
        return job.run(engine);
      };
      const Seen empty = run({{"control_bytes", 0}});
      const Seen usual = run({});
      const Seen large = run({{"control_bytes", 500}});
      INFO(engine_word(engine) << ' ' << detector);
      CHECK(empty.metric("control_bytes") == 0);
      CHECK(usual.metric("control_bytes") ==
            usual.metric("control_messages") * (detector == "four-counter" ? 24 : 16));
      CHECK(large.metric("control_bytes") == large.metric("control_messages") * 500);
      // No bytes take no time, 500 take 5 s a message.
      CHECK(announced_s(empty) < announced_s(usual));
      CHECK(announced_s(usual) + 5 < announced_s(large));
    }
}

}  // namespace faultline::termination
