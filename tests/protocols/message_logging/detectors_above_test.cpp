// Termination detectors above message logging: they are part of what is put back, and announce when
// the program is over, and not before.

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "tests/support/job.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

void set_stencil(Job& job, const std::string& detector, Ordering ordering, bool checkpoints) {
  OptionValues options{{"objects_per_process", std::int64_t{2}},
                       {"iterations", std::int64_t{6}},
                       {"compute_s", 2e-5},
                       {"object_bytes", std::int64_t{1000}}};
  if (checkpoints) options["checkpoint_iterations"] = std::int64_t{2};
  job.workload("stencil", options);
  job.spec.platform.ordering = ordering;
  job.spec.stop.when = StopWhen::announced;
  job.use(Family::termination, detector);
  job.use(Family::message_logging, "checkpoint-restart");
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
}

constexpr const char* kDetectors[] = {"cda", "dijkstra-scholten", "four-counter", "hcda"};

}  // namespace

TEST_CASE("a detector above checkpoint-restart announces without faults") {
  for (const EngineKind engine : engines())
    for (const char* detector : kDetectors)
      for (const bool checkpoints : {false, true}) {
        Job job(6, quick_machine());
        set_stencil(job, detector, Ordering::unordered, checkpoints);
        const Seen seen = job.run(engine);
        CAPTURE(engine_word(engine), detector, checkpoints);
        CHECK(seen.result.outcome == Outcome::terminated);
        CHECK(seen.violations().empty());
      }
}

TEST_CASE("a detector above checkpoint-restart announces whoever dies and when") {
  for (const EngineKind engine : engines())
    for (const char* detector : kDetectors)
      for (const Ordering ordering : {Ordering::fifo, Ordering::unordered}) {
        Job calm(6, quick_machine());
        set_stencil(calm, detector, ordering, true);
        const std::uint64_t events = calm.run(engine).result.events;
        const std::uint64_t deaths = sample_of(60, engine);
        for (std::uint64_t death = 0; death < deaths; ++death) {
          Job job(6, quick_machine());
          set_stencil(job, detector, ordering, true);
          FaultSpec fault;
          fault.event = 1 + death * events / deaths;
          fault.ranks = {static_cast<Rank>(death % 6)};
          job.spec.faults.push_back(fault);
          const Seen seen = job.run(engine, 1 + death);
          CAPTURE(engine_word(engine), detector, ordering, death, seen.result.fatal_reason);
          CHECK(seen.result.outcome == Outcome::terminated);
          CHECK(seen.violations().empty());
        }
      }
}
