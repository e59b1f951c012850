// SPDX-License-Identifier: Apache-2.0

// EDOD: counts by hand, Theorem 1 move by move, and the search for what breaks without FIFO edges.

#include <catch2/catch.hpp>

#include "tests/protocols/termination/random_run.hpp"
#include "tests/protocols/termination/token_walk.hpp"

namespace faultline::termination {

using namespace test;

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

const OptionValues kAsPrinted{{"as_printed", ChosenWords{"early-confirmation"}}};

/// Rank 0 of seven sends some messages to rank 4, which handles each at once or computes first;
/// then all is over.
Seen wake_rank_4(scenario::EngineKind engine, int messages, double compute_s,
                 const OptionValues& options = {}) {
  Job job(7);
  job.script(Family::workload,
             [=](ActorId self) {
               Handlers handlers;
               handlers.start = [=](ScriptContext& context) {
                 if (self == 0) context.compute(1000);
               };
               handlers.compute_done = [=](ScriptContext& context, std::uint64_t) {
                 for (int i = 0; self == 0 && i < messages; ++i) context.send(4, 0, 0);
               };
               handlers.message = [=](ScriptContext& context, const Message&) {
                 if (compute_s > 0) context.compute(compute_s);
               };
               return handlers;
             },
             {.traits = WorkloadTraits{.starts_at_root = true}});
  job.detector("edod", options);
  return job.run(engine);
}

}  // namespace

TEST_CASE("edod: one message to a stopped rank resumes its ancestors, by hand") {
  // Of seven ranks, six stop in the beginning. Rank 4 is woken: RESUME to 1, which has stopped, and
  // on to 0, which is active; ACK back to 1 and 4, then to 0 itself; later STOP from 4 and from 1.
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = wake_rank_4(engine, 1, 500);
    CHECK(seen.metric("control_messages.resume") == 2);
    CHECK(seen.metric("control_messages.acknowledge") == 3);
    CHECK(seen.metric("control_messages.stop") == 6 + 2);
    CHECK(seen.metric("control_messages.announce") == 6);
    CHECK(seen.result.outcome == engine::Outcome::terminated);
  }
}

TEST_CASE("edod: the acknowledgement waits until the STOPs are taken back, by hand") {
  // The ranks are on nodes of their own: a message of 16 bytes takes 12.16 s. The one of rank 0
  // goes at 1000; 12 s later rank 4 sends RESUME, rank 1 passes it on, the ACK takes the way back.
  // 1000 + 12, then RESUME, RESUME, ACK, ACK, ACK; only then can rank 0 announce, to depth two.
  const double acknowledged_s = 1012 + 5 * 12.16;
  const Seen printed = wake_rank_4(scenario::EngineKind::loggp, 1, 0, kAsPrinted);
  CHECK(printed.metric("termination_time_s") == Approx(1012));
  // Rank 0 sends the announcement to 1 and 2, which send it on: the last to hear is the second
  // child of the second child, one send overhead later on each level.
  CHECK(printed.metric("announce_time_s") == Approx(acknowledged_s + 2 * (12.16 + 1)));

  // Here rank 4 sends its STOP after its last ACK and not after its RESUME, so that the STOP of
  // rank 1 comes one send overhead and one message after the acknowledgement.
  const Seen seen = wake_rank_4(scenario::EngineKind::loggp, 1, 0);
  CHECK(seen.metric("termination_time_s") == Approx(1012));
  CHECK(seen.metric("announce_time_s") == Approx(acknowledged_s + 1 + 12.16 + 2 * (12.16 + 1)));
}

TEST_CASE("edod: to wait for the ACK of a RESUME costs no message, and saves some, by hand") {
  // Two messages come to rank 4 while it computes: one is acknowledged by the detour over the ranks
  // 1 and 0, the other directly, if after the detour.
  for (const OptionValues& options : {OptionValues{}, kAsPrinted}) {
    const Seen seen = wake_rank_4(scenario::EngineKind::loggp, 2, 500, options);
    CHECK(seen.metric("control_messages.resume") == 2);
    CHECK(seen.metric("control_messages.acknowledge") == 3 + 1);
    CHECK(seen.metric("control_messages.stop") == 6 + 2);
  }
  // Two that it handles at once: as printed it stops in between and both take the detour.
  const Seen seen = wake_rank_4(scenario::EngineKind::loggp, 2, 0);
  CHECK(seen.metric("control_messages") == 2 + 4 + 8 + 6);
  const Seen printed = wake_rank_4(scenario::EngineKind::loggp, 2, 0, kAsPrinted);
  CHECK(printed.metric("control_messages") == 2 * 2 + 2 * 3 + 10 + 6);
}

TEST_CASE("edod: ranks that have not stopped acknowledge at once, and nobody pays for itself") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [](ActorId self) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) { context.compute(100); };
      handlers.compute_done = [self](ScriptContext& context, std::uint64_t tag) {
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
    CHECK(seen.result.outcome == engine::Outcome::terminated);
  }
}

TEST_CASE("edod: every move of the token costs three times the way up from the receiver, and one") {
  // Theorem 1, exactly: RESUME and ACK between the receiver and the lowest common ancestor, one
  // direct ACK, and STOP from the sender up to it. The STOPs at the end close the sum.
  for (const std::uint32_t processes : {1U, 2U, 3U, 16U, 63U, 64U})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Walk run = walk("edod", seed <= 10 ? OptionValues{} : kAsPrinted, processes, 30, seed);
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
  CHECK(needed_ordering("edod") == scenario::Ordering::fifo);
  // A RESUME that overtakes the STOP it takes back leaves a parent that thinks an active child
  // idle: too early. One that is overtaken by the next STOP leaves a parent that waits: never; that
  // is only as printed, since else the next STOP comes after the ACK of the RESUME.
  for (const auto& [kind, options] : {std::pair<std::string, OptionValues>{"tasks left", {}},
                                      {"tasks left", kAsPrinted},
                                      {"hung: ", kAsPrinted}}) {
    DetectorUnderTest detector = registered("edod", options);
    detector.ordering = scenario::Ordering::unordered;
    detector.looks_for = kind;
    const auto found = search(detector, scenario::EngineKind::loggp, 2000);
    INFO("looking for " << kind);
    REQUIRE(found);
    INFO(describe(found->run) << ": " << found->promise);
    CHECK(found->run.processes <= 4);
    CHECK(found->run.tasks <= 4);
    // With FIFO edges, or with counters, this run is right.
    RandomRun ordered = found->run;
    ordered.ordering = scenario::Ordering::fifo;
    CHECK(broken_promise(ordered, registered("edod", options), scenario::EngineKind::loggp) == "");
    OptionValues counting = options;
    counting["child_state"] = std::string("counter");
    CHECK(broken_promise(found->run, registered("edod", counting), scenario::EngineKind::loggp) ==
          "");
  }
}

TEST_CASE("edod: with counters a RESUME may overtake a STOP") {
  DetectorUnderTest detector = registered("edod", {{"child_state", "counter"}});
  for (const scenario::Ordering ordering :
       {scenario::Ordering::fifo, scenario::Ordering::unordered}) {
    detector.ordering = ordering;
    CHECK(counterexample(detector, scenario::EngineKind::loggp, 1000) == "");
  }
}

}  // namespace faultline::termination
