// SPDX-License-Identifier: Apache-2.0

// Which actors may die in a search, in which order, and when: states counted by hand.

#include <catch2/catch.hpp>
#include <utility>

#include "analysis/exploration/exploration.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

/// No rank has anything to do but those of `computing`, whose computations end some time.
Job& idle_but(Job& job, std::vector<Rank> computing) {
  job.script(Family::workload, [computing = std::move(computing)](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      for (const Rank rank : computing)
        if (rank == self) context.compute(1);
    };
    return handlers;
  });
  return job;
}

std::uint64_t states(const Job& job, std::uint32_t faults, CrashPlaces crash,
                     std::vector<ActorId> victims, bool in_order = false) {
  ExplorationRequest request{.spec = explored_spec(job.spec)};
  request.faults = faults;
  request.crash = crash;
  request.victims = std::move(victims);
  request.in_order = in_order;
  const ExplorationResult result = explore(request);
  CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
  return result.states;
}

}  // namespace

// A computation runs or has ended; the other dead ranks are a set of victims. A dead rank does not
// compute.
TEST_CASE("only the victims die, in any order or in that of their list") {
  Job job(4);
  idle_but(job, {0});
  const CrashPlaces between = CrashPlaces::between_events;
  // {}, {1}, {2}, {1, 2} while rank 0 computes. At the end of the computation the run ends.
  CHECK(states(job, 2, between, {1, 2}) == 4 + 4);
  CHECK(states(job, 1, between, {1, 2}) == 3 + 3);
  // {}, {1}, {1, 2}.
  CHECK(states(job, 2, between, {1, 2}, true) == 3 + 3);
  // {}, {2}: the second one is not yet in question.
  CHECK(states(job, 1, between, {2, 1}, true) == 2 + 2);
  // Everybody, rank 0 too: a set of up to one of four, and if it is not 0, the end.
  CHECK(states(job, 1, between, {}) == 5 + 4);
}

namespace {

/// Rank 0 sends a message to rank 1, which computes when it has it.
Job& send_and_compute(Job& job) {
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      if (self == 0) context.send(1, 0, 8);
    };
    handlers.message = [](ScriptContext& context, const Message&) { context.compute(1); };
    return handlers;
  });
  return job;
}

}  // namespace

// On its way the message is not calm; with the computation it is; after that it is over.
TEST_CASE("in calm, somebody dies only while nothing is left to come but ends of computations") {
  Job job(4);
  send_and_compute(job);
  CHECK(states(job, 0, CrashPlaces::calm, {}) == 3);
  // Rank 2 or 3 dies while rank 1 computes, and then the computation ends.
  CHECK(states(job, 1, CrashPlaces::calm, {2, 3}) == 3 + 2 * 2);
  CHECK(states(job, 2, CrashPlaces::calm, {2, 3}) == 3 + 2 * 2 + 2);
  // Any time: also while the message is on its way.
  CHECK(states(job, 1, CrashPlaces::between_events, {2, 3}) == 3 + 2 * 3);
}

// Each death is told to the other three, which disturbs the calm.
TEST_CASE(
    "together in calm, a second death can follow at once, before anybody is told of the first") {
  Job job(4);
  send_and_compute(job);
  job.use(Family::failure_detection, "oracle");
  const std::uint64_t alone = states(job, 2, CrashPlaces::calm, {2, 3});
  const std::uint64_t together = states(job, 2, CrashPlaces::calm_together, {2, 3});
  const std::uint64_t any_time = states(job, 2, CrashPlaces::between_events, {2, 3});
  CHECK(alone < together);
  CHECK(together < any_time);
}

TEST_CASE("within the start, too, only victims die, and in order") {
  Job job(3);
  send_and_compute(job);
  ExplorationRequest request{.spec = explored_spec(job.spec)};
  request.faults = 1;
  CHECK(starts(request).size() == 2);  // rank 0 can die before its message has left it
  request.victims = {1};
  CHECK(starts(request).size() == 1);
  request.victims = {1, 0};
  CHECK(starts(request).size() == 2);
  request.in_order = true;
  CHECK(starts(request).size() == 1);
}

}  // namespace faultline::exploration
