// SPDX-License-Identifier: Apache-2.0

// The plan of deaths that a scenario states.

#include "sim/faults/fault_plan.hpp"

#include <catch2/catch.hpp>

#include "tests/faults/sources.hpp"

namespace faultline::faults {

namespace {

const JobShape kJob{.processes = 8, .processes_per_node = 2, .nodes = 4};

FaultSpec at_time(double time_s, std::vector<Rank> ranks) {
  FaultSpec fault;
  fault.time_s = time_s;
  fault.ranks = std::move(ranks);
  return fault;
}

FaultSpec at_event(std::uint64_t event, Rank rank) {
  FaultSpec fault;
  fault.event = event;
  fault.ranks = {rank};
  return fault;
}

FaultSpec at_mark(const std::string& name, std::int64_t value, Rank rank) {
  FaultSpec fault;
  fault.mark = MarkSpec{name, value};
  fault.ranks = {rank};
  return fault;
}

using Actors = std::vector<ActorId>;
using Indices = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("no faults: nothing is planned and everything has struck") {
  const FaultPlan plan({}, kJob);
  CHECK(plan.timed().empty());
  CHECK(plan.next_event() == UINT64_MAX);
  CHECK_FALSE(plan.waits_for_marks());
  CHECK(plan.exhausted(0.0));
}

TEST_CASE("deaths at times come in order of time, equal times as they are written") {
  const FaultPlan plan({at_time(3, {0}), at_time(1, {1}), at_time(3, {2}), at_time(2, {3})}, kJob);
  REQUIRE(plan.timed().size() == 4);
  Indices order;
  for (const auto& timed : plan.timed()) order.push_back(timed.index);
  CHECK(order == Indices{1, 3, 0, 2});
  CHECK_FALSE(plan.exhausted(2.9));
  CHECK(plan.exhausted(3.0));
}

TEST_CASE("a source whose faults would never let a run go on is refused") {
  Target target(2);
  FaultPlan plan;
  plan.add({.registration = find_fault_source("poisson"),
            .options = source_options("poisson", {{"mtbf_s", 1e-300}}),
            .key = "poisson[0]"},
           target.target());
  const auto draw_all = [&plan] {
    while (plan.draw(0)) {
    }
  };
  CHECK_THROWS_WITH(draw_all(),
                    "faults.poisson[0]: more than 10000000 faults would strike in a run; expected "
                    "rarer faults, or a limit");
}

TEST_CASE("deaths by event number come in order of number") {
  FaultPlan plan({at_event(20, 0), at_event(5, 1), at_event(20, 2)}, kJob);
  CHECK(plan.next_event() == 5);
  CHECK(plan.take_event() == 1);
  CHECK(plan.next_event() == 20);
  CHECK(plan.take_event() == 0);
  CHECK_FALSE(plan.exhausted(1e9));
  CHECK(plan.take_event() == 2);
  CHECK(plan.next_event() == UINT64_MAX);
  CHECK(plan.exhausted(0.0));
}

TEST_CASE("a mark strikes once, and only with its own name and value") {
  FaultPlan plan({at_mark("step", 3, 0), at_mark("step", 3, 1), at_mark("round", 3, 2)}, kJob);
  CHECK(plan.take_mark("step", 2).empty());
  CHECK(plan.take_mark("ste", 3).empty());
  CHECK(plan.take_mark("step", 3) == Indices{0, 1});
  CHECK(plan.take_mark("step", 3).empty());
  CHECK(plan.waits_for_marks());
  CHECK_FALSE(plan.exhausted(1e9));
  CHECK(plan.take_mark("round", 3) == Indices{2});
  CHECK_FALSE(plan.waits_for_marks());
  CHECK(plan.exhausted(0.0));
}

TEST_CASE("a mark is found among half a million without looking at each") {
  constexpr std::int64_t kMarks = 500000;
  std::vector<FaultSpec> faults;
  for (std::int64_t i = 0; i < kMarks; ++i) faults.push_back(at_mark("step", i, 0));
  FaultPlan plan(faults, kJob);
  // From the last to the first: a search from the front would look at 10^11 entries.
  for (std::int64_t i = kMarks; i-- > 0;) {
    const Indices struck = plan.take_mark("step", i);
    if (struck != Indices{static_cast<std::uint32_t>(i)}) FAIL("mark " << i);
  }
  CHECK_FALSE(plan.waits_for_marks());
}

TEST_CASE("victims: ranks as they are, nodes and daemons by the daemon, nodes silently") {
  FaultSpec fault;
  fault.time_s = 1;
  fault.ranks = {7, 2};
  fault.nodes = {0, 3};
  fault.daemons = {1};
  const FaultPlan plan({at_time(5, {1}), fault}, kJob);
  using Victims = std::vector<Victim>;
  CHECK(plan.victims(0) == Victims{{1, false}});
  CHECK(plan.victims(1) == Victims{{7, false}, {2, false}, {8, true}, {11, true}, {9, false}});
}

}  // namespace faultline::faults
