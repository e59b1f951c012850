// SPDX-License-Identifier: Apache-2.0

// The cost of simulating a death. Processor time is compared with that of the same run without
// the death, in the same process: something that looks at all ranks for each rank takes ten times
// as long here, and the bound is far from both.

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::termination {

using namespace test;

namespace {

constexpr double kMostTimes = 4.0;

double processor_time_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Measured {
  engine::RunResult result;
  double took_s = 0.0;
};

Measured measure(const scenario::RunSpec& spec) {
  const double before_s = processor_time_s();
  Measured measured{.result = engine::run_simulation(spec, scenario::EngineKind::loggp, 1, 0),
                    .took_s = 0.0};
  measured.took_s = processor_time_s() - before_s;
  return measured;
}

/// How many times as long a run with its deaths takes as one without them: the least of three, so
/// that what else disturbs the machine does not count.
double times_as_long(const scenario::RunSpec& spec) {
  scenario::RunSpec calm = spec;
  calm.faults.clear();
  double least = 1e9;
  for (int trial = 0; trial < 3 && least > kMostTimes; ++trial) {
    const Measured without = measure(calm);
    const Measured with = measure(spec);
    CHECK(without.result.outcome == engine::Outcome::terminated);
    CHECK(with.result.outcome == engine::Outcome::terminated);
    least = std::min(least, with.took_s / without.took_s);
  }
  return least;
}

}  // namespace

// After the death, every rank asks whether something of the dead one is still on its way to it.
TEST_CASE("a death among many ranks costs no more than some times the run without it") {
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination || !detector.tolerates_faults()) continue;
    constexpr std::uint32_t kRanks = 8192;
    Job job(kRanks, quick_machine(kRanks));
    job.spec.checks_state = false;
    job.workload("uniform-traffic", {{"hops", 8}}).detector(detector.name);
    const double end_s = *measure(job.spec).result.metrics.values().at("end_time_s");
    job.use(Family::failure_detection, "oracle").kill(end_s / 2, {kRanks / 2});
    CAPTURE(detector.name);
    CHECK(times_as_long(job.spec) < kMostTimes);
  }
}

// Every rank is a successor of the root, and acknowledges while the root waits for the last words
// of one that is dead: each time the root asks whether one of them has failed.
TEST_CASE("a root with many successors handles their words while one is dead") {
  constexpr std::uint32_t kNodes = 16384;
  constexpr std::uint64_t kLong_B = 100'000'000'000;  // takes 10 s, within the root's node
  for (const std::string name : {"indep", "rel-lazy", "rel-eager"}) {
    Job job(2 * kNodes, quick_machine(kNodes));
    job.spec.checks_state = false;
    job.spec.platform.processes_per_node = 2;
    const auto beside_root = kNodes;
    job.spec.platform.mapping = scenario::Mapping::round_robin;
    job.script(Family::workload, [=](ActorId self) {
      Handlers handlers;
      handlers.start = [=](ScriptContext& context) {
        for (Rank to = 1; to < 2 * kNodes && self == 0; ++to) context.send(to, 0, 8);
      };
      // The last ones are the first to be idle.
      handlers.message = [=](ScriptContext& context, const Message&) {
        if (self == beside_root) context.send(0, 0, kLong_B);
        if (self != 0) context.compute(2.0 + 1e-5 * (2 * kNodes - self));
      };
      return handlers;
    });
    job.detector(name).use(Family::failure_detection, "oracle");
    job.kill(1.0, {beside_root});
    CAPTURE(name);
    CHECK(times_as_long(job.spec) < kMostTimes);
  }
}

}  // namespace faultline::termination
