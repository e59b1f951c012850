// SPDX-License-Identifier: Apache-2.0

// A new process dies again at every moment of a recovery, and is found by a detector that hears of
// deaths from broken connections.

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

/// Four ranks, of which 0 and 2 die at the start, and one of the two again at that event.
Seen dies_again(scenario::EngineKind engine, const std::string& protocol, std::uint64_t event,
                Rank victim, bool is_noisy) {
  Job job(4, quick_machine());
  job.workload("try-blocks", {{"iterations", std::int64_t{1}}, {"allreduces", std::int64_t{0}}});
  OptionValues options;
  if (protocol == "relaunch") options["relaunch_s"] = 0.0;
  job.use(Family::transactions, protocol, options);
  job.use(Family::failure_detection, "connection-loss", {{"members", std::string("ranks")}});
  job.spec.platform.spare_nodes = 4;
  if (is_noisy)
    job.spec.platform.os_noise =
        scenario::OsNoise{.interval_s = 1e-3, .length_s = 5e-4, .nodes = {}};
  job.spec.stop.when = scenario::StopWhen::finished;
  job.kill(0, {2, 0});
  faults::FaultSpec again;
  again.event = event;
  again.ranks = {victim};
  job.spec.faults.push_back(again);
  return job.run(engine, event);
}

}  // namespace

// Rank 1 leads, and alone knows of the new process of rank 2. The parent of rank 2 in the tree is
// rank 0, which is new as well.
TEST_CASE("a new process that dies at any moment is replaced over connection-loss") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi", "ulfm", "relaunch"})
      for (std::uint64_t event = 1; event <= 120; ++event) {
        // On simgrid, each run is a process of its own.
        if (engine == scenario::EngineKind::simgrid && event % 10 != 3) continue;
        for (const Rank victim : {0U, 2U})
          for (const bool is_noisy : {false, true}) {
            INFO(engine_word(engine) << ", " << protocol << ", event " << event << ", rank "
                                     << victim << (is_noisy ? ", noise" : ""));
            const Seen seen = dies_again(engine, protocol, event, victim, is_noisy);
            CHECK(seen.result.outcome == engine::Outcome::finished);
            CHECK(seen.violations().empty());
            CHECK(seen.metric("false_reports") == 0.0);
            CHECK(seen.metric("end_time_s") < 1.0);
          }
      }
}

}  // namespace faultline::transactions
