// SPDX-License-Identifier: Apache-2.0

// The detectors that watch each other on a ring, in all orders with patient timers: they are right,
// and mistakes that random search finds (detection_mutants_test.cpp) are found, if they can be
// wrong where messages take no time, or up to a stated one.

#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "tests/protocols/failure_detection/ring_mutants.hpp"
#include "tests/support/job.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

/// A detector, and the actors that may die.
struct Bound {
  std::string detector = "rdaemon";
  OptionValues options = {};
  std::uint32_t processes = 3;
  std::uint32_t processes_per_node = 1;
  std::uint32_t faults = 1;
  std::vector<ActorId> victims = {};
  double message_s = 0.0;
  bool in_order = false;
  std::uint32_t losses = 0;
  std::uint32_t stalls = 0;
  double stall_s = 0.0;
  std::uint32_t depth = UINT32_MAX;
};

using Change = std::function<void(scenario::RunSpec&)>;

/// Rank 0 computes, for any time. The job is over when it has, and all have heard of all deaths.
void set_up_explored(Job& job, const Bound& bound, const Change& change) {
  job.spec.platform.processes_per_node = bound.processes_per_node;
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 0) context.compute(1.0);
    };
    return handlers;
  });
  job.use(Family::failure_detection, bound.detector, bound.options);
  if (change) change(job.spec);
}

exploration::ExplorationRequest request_of(const Job& job, const Bound& bound) {
  return {.spec = exploration::explored_spec(job.spec),
          .faults = bound.faults,
          .victims = bound.victims,
          .in_order = bound.in_order,
          .timers = exploration::TimerRule::patient,
          .message_s = bound.message_s,
          .losses = bound.losses,
          .stalls = bound.stalls,
          .stall_s = bound.stall_s,
          .depth = bound.depth};
}

exploration::ExplorationResult explored(const Bound& bound, const Change& change = {}) {
  Job job(bound.processes);
  set_up_explored(job, bound, change);
  return exploration::explore(request_of(job, bound));
}

/// No live process is declared dead, and all live processes hear of every death.
void check_right(const Bound& bound, const Change& change = {}) {
  const exploration::ExplorationResult result = explored(bound, change);
  CAPTURE(bound.detector, bound.processes, bound.faults, result.states, result.wall_s);
  CHECK(result.verdict == exploration::ExplorationResult::Verdict::exhausted);
  CHECK(result.progress_checked);
  CHECK(result.fairness_checked);
}

/// The shortest run to the mistake breaks a promise of that kind, and has this many steps if that
/// is stated.
void check_refuted(const Bound& bound, const Change& change, const std::string& kind,
                   std::optional<std::size_t> steps) {
  const exploration::ExplorationResult result = explored(bound, change);
  CAPTURE(result.states, result.wall_s);
  REQUIRE(result.refutation);
  CHECK(result.refutation->violations.front().kind == kind);
  if (steps) CHECK(result.refutation->steps.size() == *steps);
}

/// `run` repeats what is found, at the same time.
void check_repeated(const Bound& bound, const Change& change, const std::string& kind) {
  Job job(bound.processes);
  set_up_explored(job, bound, change);
  const exploration::ExplorationRequest request = request_of(job, bound);
  const exploration::ExplorationResult result = exploration::explore(request);
  REQUIRE(result.refutation);
  scenario::RunSpec ordered = job.spec;
  ordered.order = exploration::told_run(request, result.refutation->steps).order;
  const engine::RunResult again =
      engine::run_simulation(ordered, scenario::EngineKind::loggp, 1, 0);
  REQUIRE(!again.violations.empty());
  CHECK(again.violations.front().kind == kind);
  const double explored_s = result.refutation->violations.front().time_s;
  CHECK(again.violations.front().time_s == Approx(explored_s).margin(0.0011));
}

template <class Mistake>
Change with_mistake(Registration& mistaken) {
  return [&mistaken](scenario::RunSpec& spec) {
    make_mistaken<Mistake>(spec, Family::failure_detection, mistaken);
  };
}

Bound ulfm() {
  return {.detector = "ulfm", .options = {{"heartbeat_period_s", 1.0}, {"timeout_s", 2.0}}};
}

/// A process looks ten times in a period.
Bound ulfm_as_built() {
  Bound bound = ulfm();
  bound.options["as_built"] = true;
  return bound;
}

/// Two processes on a node, which die one after another.
Bound two_of_a_node() {
  return {.processes = 4, .processes_per_node = 2, .faults = 2, .victims = {2, 3}};
}

}  // namespace

TEST_CASE("explored: rdaemon and ulfm find every death, and report no live process") {
  check_right({.faults = 0});
  check_right({});
  check_right(two_of_a_node());
  check_right({.processes = 4, .faults = 2, .victims = {4, 5, 6, 7}});
  check_right({.options = {{"compare_reports", true}}});
  check_right(ulfm());
  check_right(ulfm_as_built());
}

TEST_CASE("explored: an rdaemon that asks nobody for heartbeats") {
  Registration mistaken;
  check_refuted({}, with_mistake<NoRequest>(mistaken), "false-report", 20);
}

// From a state onwards some never hear of a death.
TEST_CASE("explored: an rdaemon that knows duplicates by their sender") {
  Registration mistaken;
  check_refuted(two_of_a_node(), with_mistake<DuplicatesBySender>(mistaken), "hung", 3);
}

TEST_CASE("explored: an rdaemon that counts anyone's heartbeats, once others send it some") {
  Registration strays;
  check_right({}, with_mistake<StrayHeartbeats>(strays));
  Registration mistaken;
  check_refuted(
      {},
      [&](scenario::RunSpec& spec) {
        make_mistaken<AnyonesHeartbeat>(spec, Family::failure_detection, mistaken);
        make_mistaken<StrayHeartbeats>(spec, Family::failure_detection, strays);
      },
      "hung", 1);
}

// A heartbeat that a daemon asks for must have the time to come.
TEST_CASE("explored: an rdaemon that gives no grace, where messages take time") {
  Registration mistaken;
  check_right({}, with_mistake<NoGrace>(mistaken));
  Bound bound{.message_s = 0.01};
  check_refuted(bound, with_mistake<NoGrace>(mistaken), "false-report", 8);
  check_right(bound);
}

// A heartbeat comes every 100 ms, and the timeout is twice as long.
TEST_CASE("explored: rdaemon is right if no message takes longer than timeout less period") {
  check_right({.faults = 0, .message_s = 0.099});
  check_refuted({.faults = 0, .message_s = 0.11}, {}, "false-report", 10);
}

// A probe can remain without an answer where both take long. A swim that refutes in time is
// declared dead by nobody, as far as one looks: what it draws tells all of its states apart.
TEST_CASE("explored: a swim that never refutes") {
  Bound bound{.detector = "swim",
              .options = {{"lifeguard", false},
                          {"indirect_probes", std::int64_t{0}},
                          {"fallback_probe", false},
                          {"suspicion_multiplier", std::int64_t{2}}},
              .processes = 2,
              .faults = 0,
              .message_s = 0.55,
              .depth = 28};
  Registration mistaken;
  check_refuted(bound, with_mistake<NeverRefutes>(mistaken), "false-report", 26);
  CHECK(explored(bound).limit == exploration::SearchLimit::depth);
}

// All die before anybody can be told. Of the two that are left, rank 4 hears of the first death
// from rank 1 in vain, and those between them are dead.
TEST_CASE("explored: an rdaemon that hears half of its neighbours", "[.soak]") {
  Registration mistaken;
  const Bound bound{.processes = 5, .faults = 3, .victims = {5, 7, 8}, .in_order = true};
  check_refuted(bound, with_mistake<HalfOfTheNeighbours>(mistaken), "hung", 1);
  check_right(bound);
}

// A probe is lost, and then the only message that tells its target of the suspicion. With four
// such messages it denies it in time, as far as one looks.
TEST_CASE("explored: a swim that sends each update once, where messages are lost") {
  Bound bound{.detector = "swim",
              .options = {{"lifeguard", false},
                          {"indirect_probes", std::int64_t{0}},
                          {"fallback_probe", false},
                          {"suspicion_multiplier", std::int64_t{2}},
                          {"retransmit_multiplier", std::int64_t{1}}},
              .processes = 2,
              .faults = 0,
              .losses = 2,
              .depth = 40};
  check_refuted(bound, {}, "false-report", 23);
  check_repeated(bound, {}, "false-report");
  bound.options["retransmit_multiplier"] = std::int64_t{4};
  CHECK(explored(bound).limit == exploration::SearchLimit::depth);
}

// A heartbeat comes every 100 ms.
TEST_CASE("explored: rdaemon errs if all heartbeats are lost that come within its timeout") {
  Bound bound{.options = {{"timeout_s", 0.25}}, .processes = 2, .faults = 0, .losses = 1};
  check_right(bound);
  bound.losses = 2;
  check_refuted(bound, {}, "false-report", 12);
  check_repeated(bound, {}, "false-report");
  bound.options = {{"timeout_s", 0.35}};
  check_right(bound);
}

// Computations keep no processor busy, so that a process looks late only if it stalls. One that
// looks late waits for what has come meanwhile, as long as the emitter has not stalled for too
// long.
TEST_CASE("explored: an ulfm without its late-loop rule, where processes stall") {
  for (const bool as_built : {false, true}) {
    Bound bound = as_built ? ulfm_as_built() : ulfm();
    bound.options["late_loop_rule"] = false;
    check_right(bound);
    bound.options["timeout_s"] = 2.4;
    bound.processes = 2;
    bound.faults = 0;
    bound.stalls = 2;
    bound.stall_s = 1.2;
    check_refuted(bound, {}, "false-report", as_built ? std::optional(27) : std::nullopt);
    check_repeated(bound, {}, "false-report");
    bound.options["late_loop_rule"] = true;
    check_right(bound);
  }
}

TEST_CASE("searches with losses and stalls find the same with several threads") {
  const Bound bound{.detector = "ulfm",
                    .options = {{"heartbeat_period_s", 1.0}, {"timeout_s", 4.0}},
                    .processes = 2,
                    .faults = 0,
                    .losses = 1,
                    .stalls = 1,
                    .stall_s = 0.5};
  Job job(bound.processes);
  set_up_explored(job, bound, {});
  exploration::ExplorationRequest request = request_of(job, bound);
  const exploration::ExplorationResult one = exploration::explore(request);
  CHECK(one.verdict == exploration::ExplorationResult::Verdict::exhausted);
  request.jobs = 3;
  request.recall = exploration::StepRecall::checked;
  const exploration::ExplorationResult other = exploration::explore(request);
  CHECK(other.states == one.states);
  CHECK(other.transitions == one.transitions);
  CHECK(other.ends == one.ends);
  CHECK(other.verdict == one.verdict);
}

TEST_CASE("explored: an rdaemon that tells its processes of a death again") {
  Registration mistaken;
  check_refuted({}, with_mistake<TellsEachTime>(mistaken), "repeated-report", 7);
  check_repeated({}, with_mistake<TellsEachTime>(mistaken), "repeated-report");
}

TEST_CASE("explored: an ulfm that tells the application of a death again") {
  Registration mistaken;
  for (const bool as_built : {false, true}) {
    const Bound bound = as_built ? ulfm_as_built() : ulfm();
    check_refuted(bound, with_mistake<ReportsEachTime>(mistaken), "repeated-report",
                  as_built ? std::optional(37) : std::nullopt);
    check_repeated(bound, with_mistake<ReportsEachTime>(mistaken), "repeated-report");
  }
}

TEST_CASE("a run with patient timers is repeated to the same error, at the same times") {
  Registration mistaken;
  check_repeated({}, with_mistake<NoRequest>(mistaken), "false-report");
}

}  // namespace faultline::failure_detection
