// EDOD: counts by hand, Theorem 1 move by move, and the search for what breaks without FIFO edges.

#include <catch2/catch.hpp>

#include "tests/protocols/termination/random_run.hpp"
#include "tests/protocols/termination/token_walk.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

Rank parent(Rank rank) { return (rank - 1) / 2; }

/// How far `rank` is below the lowest common ancestor of the two.
std::uint32_t below_common_ancestor(Rank rank, Rank other) {
  std::uint32_t edges = 0;
  while (rank != other) {
    if (rank > other) {
      rank = parent(rank);
      ++edges;
    } else {
      other = parent(other);
    }
  }
  return edges;
}

std::uint32_t depth(Rank rank) { return below_common_ancestor(rank, 0); }

/// Rank 0 sends to one rank, which handles it at once or computes first; then all is over.
Seen one_message(EngineKind engine, std::uint32_t processes, Rank to, double compute_s) {
  Job job(processes);
  job.script(Family::workload,
             [=](ActorId self) {
               Handlers handlers;
               handlers.start = [=](Context& context) {
                 if (self == 0) context.compute(1000);
               };
               handlers.compute_done = [=](Context& context, std::uint64_t) {
                 if (self == 0) context.send(to, 0, 0);
               };
               handlers.message = [=](Context& context, const Message&) {
                 if (compute_s > 0) context.compute(compute_s);
               };
               return handlers;
             },
             {.traits = {.starts_at_root = true}});
  job.detector("edod");
  return job.run(engine);
}

}  // namespace

TEST_CASE("edod: one message to a stopped rank resumes its ancestors, by hand") {
  // Of seven ranks, six stop in the beginning. Rank 4 is woken: RESUME to 1, which has stopped, and
  // on to 0, which is active; ACK back to 1 and 4, then to 0 itself; later STOP from 4 and from 1.
  for (const EngineKind engine : engines()) {
    const Seen seen = one_message(engine, 7, 4, 500);
    CHECK(seen.metric("control_messages.resume") == 2);
    CHECK(seen.metric("control_messages.acknowledge") == 3);
    CHECK(seen.metric("control_messages.stop") == 6 + 2);
    CHECK(seen.metric("control_messages.announce") == 6);
    CHECK(seen.result.outcome == Outcome::terminated);
  }
}

TEST_CASE("edod: the acknowledgement waits until the STOPs are taken back, by hand") {
  // The ranks are on nodes of their own: a message of 16 bytes takes 12.16 s. The one of rank 0
  // goes at 1000; 12 s later rank 4 sends RESUME, rank 1 passes it on, the ACK takes the way back.
  const Seen seen = one_message(EngineKind::loggp, 7, 4, 0);
  // 1000 + 12, then RESUME, RESUME, ACK, ACK, ACK; only then can rank 0 announce, to depth two.
  const double acknowledged_s = 1012 + 5 * 12.16;
  CHECK(seen.metric("termination_time_s") == Approx(1012));
  // Rank 0 sends the announcement to 1 and 2, which send it on: the last to hear is the second
  // child of the second child, one send overhead later on each level.
  CHECK(seen.metric("announce_time_s") == Approx(acknowledged_s + 2 * (12.16 + 1)));
}

TEST_CASE("edod: ranks that have not stopped acknowledge at once, and nobody pays for itself") {
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [](ActorId self) {
      Handlers handlers;
      handlers.start = [](Context& context) { context.compute(100); };
      handlers.compute_done = [self](Context& context, std::uint64_t tag) {
        if (tag == 1) return;
        if (self == 0) context.send(0, 0, 0);
        if (self == 1) context.send(2, 0, 0);
        context.compute(100, 1);
      };
      return handlers;
    });
    job.detector("edod");
    const Seen seen = job.run(engine);
    CHECK(seen.metric("application_messages") == 2);
    CHECK(seen.metric("control_messages.acknowledge") == 1);
    CHECK(seen.metric("control_messages.resume") == 0);
    CHECK(seen.metric("control_messages.stop") == 2);
    CHECK(seen.result.outcome == Outcome::terminated);
  }
}

TEST_CASE("edod: every move of the token costs three times the way up from the receiver, and one") {
  // Theorem 1, exactly: RESUME and ACK between the receiver and the lowest common ancestor, one
  // direct ACK, and STOP from the sender up to it. The STOPs at the end close the sum.
  for (const std::uint32_t processes : {1U, 2U, 3U, 16U, 63U, 64U})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Walk run = walk("edod", {}, processes, 30, seed);
      double expected = 2.0 * (processes - 1);
      for (std::size_t move = 1; move < run.owners.size(); ++move) {
        const Rank from = run.owners[move - 1];
        const Rank to = run.owners[move];
        expected += 2 * below_common_ancestor(to, from) + 1 + below_common_ancestor(from, to);
      }
      expected += depth(run.owners.back());
      INFO(processes << " processes, seed " << seed);
      CHECK(run.control() == expected);
      CHECK(run.seen.violations().empty());
    }
}

TEST_CASE("edod: a move costs 1.5 D + 1 on average, D the mean distance of two tree nodes") {
  // D as published with the analysis of the theorem: 3.667 and 6.640.
  for (const auto& [processes, published] : {std::pair{16U, 3.667}, std::pair{64U, 6.640}}) {
    double distance = 0;
    for (Rank a = 0; a < processes; ++a)
      for (Rank b = 0; b < processes; ++b)
        distance += below_common_ancestor(a, b) + below_common_ancestor(b, a);
    distance /= processes * (processes - 1.0);
    CHECK(distance == Approx(published).margin(5e-4));

    double cost = 0;
    double squares = 0;
    constexpr int kRuns = 40;
    for (int seed = 1; seed <= kRuns; ++seed) {
      const Walk run = walk("edod", {}, processes, 400, static_cast<std::uint64_t>(seed));
      const double per_move = (run.control() - 2.0 * (processes - 1)) / run.moves();
      cost += per_move / kRuns;
      squares += per_move * per_move / kRuns;
    }
    const double standard_error = std::sqrt((squares - cost * cost) / (kRuns - 1));
    CHECK(std::abs(cost - (1.5 * distance + 1)) < 4 * standard_error);
    CHECK(standard_error < 0.02 * cost);
  }
}

TEST_CASE("edod: without FIFO edges the search finds wrong announcements, and shrinks them") {
  CHECK(needed_ordering("edod") == Ordering::fifo);
  // A RESUME that overtakes the STOP it takes back leaves a parent that thinks an active child
  // idle: too early. One that is overtaken by the next STOP leaves a parent that waits: never.
  for (const std::string kind : {"tasks left", "hung: "}) {
    DetectorUnderTest detector = registered("edod");
    detector.ordering = Ordering::unordered;
    detector.looks_for = kind;
    const auto found = search(detector, EngineKind::loggp, 2000);
    INFO("looking for " << kind);
    REQUIRE(found);
    INFO(describe(found->run) << ": " << found->promise);
    CHECK(found->run.processes <= 4);
    CHECK(found->run.tasks <= 4);
    // The same run with FIFO edges, and with counters, is right.
    RandomRun ordered = found->run;
    ordered.ordering = Ordering::fifo;
    CHECK(broken_promise(ordered, registered("edod"), EngineKind::loggp) == "");
    CHECK(broken_promise(found->run, registered("edod", {{"child_state", "counter"}}),
                         EngineKind::loggp) == "");
  }
}

TEST_CASE("edod: with counters a RESUME may overtake a STOP") {
  DetectorUnderTest detector = registered("edod", {{"child_state", "counter"}});
  for (const Ordering ordering : {Ordering::fifo, Ordering::unordered}) {
    detector.ordering = ordering;
    CHECK(counterexample(detector, EngineKind::loggp, 1000) == "");
  }
}
