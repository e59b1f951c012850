// SPDX-License-Identifier: Apache-2.0

// CDA on small cases that were worked out on paper.

#include <catch2/catch.hpp>

#include "tests/protocols/termination/by_hand.hpp"

namespace faultline::termination {

using namespace test;

namespace {

Seen run(const std::vector<Doing>& doings, std::uint32_t processes, std::int64_t initial_credit,
         scenario::EngineKind engine, const OptionValues& more = {}) {
  Job job(processes);
  follow(job, doings, false);
  OptionValues options = more;
  options["initial_credit"] = initial_credit;
  options["control_bytes"] = 0;
  job.detector("cda", options);
  note_shares(job);
  return job.run(engine);
}

constexpr std::int64_t kPlenty = std::int64_t{1} << 32;

}  // namespace

TEST_CASE("cda by hand: no work, every rank returns its credit once") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({}, 3, kPlenty, engine);
    // Flushes at 12 and 13, announced at 25 and 26.
    CHECK(announced_s(seen) == by_hand(26, engine));
    CHECK(seen.metric("termination_time_s") == 0);
    CHECK(control(seen, "flush") == 2);
    CHECK(control(seen, "announce") == 2);
    CHECK(seen.metric("control_messages") == 4);
  }
}

TEST_CASE("cda by hand: the last message of a rank that goes idle carries all it has") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 1, .sends = {{2, 1}}}}, 3, kPlenty, engine);
    CHECK(seen.values(1, "credit") == Values{kPlenty});
    // Rank 1 has nothing left to flush. Rank 2 flushes its own at 0 and that of the message at 12.
    CHECK(control(seen, "flush") == 2);
    CHECK(seen.metric("flushes") == 2);
    CHECK(announced_s(seen) == by_hand(24 + 13, engine));
  }
}

TEST_CASE("cda by hand: a batch shares the credit, with one share for a rank that goes on") {
  struct Case {
    std::int64_t credit;
    double compute_s;
    Values shares;
  };
  // C/S if C > 4096, else no more than 64, all with the credit before the first; S counts the rank.
  const std::vector<Case> cases = {
      {9000, 5, {2250, 2250, 2250}},
      {9000, 0, {3000, 3000, 3000}},
      {10001, 0, {3333, 3333, 3335}},
      {6000, 5, {1500, 1500, 1500}},
      {4096, 5, {64, 64, 64}},
      {4096, 0, {64, 64, 3968}},
      {4160, 5, {1040, 1040, 1040}},
      {10, 5, {2, 2, 2}},
      {10, 0, {3, 3, 4}},
      {4, 5, {1, 1, 1}},
      {3, 0, {1, 1, 1}},
  };
  for (const scenario::EngineKind engine : engines())
    for (const Case& c : cases) {
      const Seen seen =
          run({{.rank = 1, .sends = {{0, 1}, {2, 2}, {0, 3}}, .compute_s = c.compute_s}}, 3,
              c.credit, engine);
      INFO(engine_word(engine) << ", credit " << c.credit << ", computes " << c.compute_s);
      CHECK(seen.values(1, "credit") == c.shares);
      CHECK(seen.result.outcome == engine::Outcome::terminated);
      CHECK(seen.metric("delayed_messages") == 0);
    }
}

TEST_CASE("cda by hand: messages wait for credit that is borrowed") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 1, .sends = {{0, 1}, {0, 2}}}}, 2, 1, engine);
    // Asked at 0, asked for at 12, granted at 24: then both messages leave with 1 each, which the
    // agent has back at 36 and 37.
    CHECK(seen.values(1, "credit") == Values{1, 1});
    CHECK(seen.metric("termination_time_s") == by_hand(37, engine));
    CHECK(announced_s(seen) == by_hand(49, engine));
    CHECK(control(seen, "borrow") == 1);
    CHECK(control(seen, "grant") == 1);
    CHECK(control(seen, "flush") == 0);
    CHECK(seen.metric("delayed_messages") == 2);
    CHECK(seen.metric("borrows") == 1);
  }
}

TEST_CASE("cda by hand: the agent creates credit for itself without a message") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .sends = {{1, 1}, {1, 2}, {1, 3}}}}, 2, 1, engine);
    CHECK(seen.values(0, "credit") == Values{1, 1, 1});
    CHECK(control(seen, "borrow") + control(seen, "grant") == 0);
    CHECK(seen.metric("borrows") == 2);
    // Rank 1 flushes at 0, and when it has handled each of the three.
    CHECK(control(seen, "flush") == 4);
    CHECK(seen.result.outcome == engine::Outcome::terminated);
  }
}

TEST_CASE("cda by hand: credit over the maximum goes to the agent at once") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .sends = {{1, 1}}}, {.rank = 1, .compute_s = 100}}, 2, 100,
                          engine, {{"maximum_credit", std::int64_t{100}}});
    // Rank 1 has its 100 still when 100 more come at 12: those go back at once, its own at 100.
    CHECK(control(seen, "flush") == 2);
    CHECK(seen.metric("flushes") == 1);
    CHECK(announced_s(seen) == by_hand(124, engine));
  }
}

TEST_CASE("cda by hand: an active rank with little credit asks ahead of need") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 1, .sends = {{0, 1}}, .compute_s = 100}}, 2, 100, engine,
                          {{"borrow_below_credit", std::int64_t{80}}});
    // 100 credit in two shares leave 50. Two sends later it computes until 102, and then returns
    // the 150 that it has with the grant.
    CHECK(seen.values(1, "credit") == Values{50});
    CHECK(control(seen, "borrow") == 1);
    CHECK(control(seen, "grant") == 1);
    CHECK(seen.metric("delayed_messages") == 0);
    CHECK(announced_s(seen) == by_hand(126, engine));
  }
}

TEST_CASE("cda by hand: a single process announces when its work is done") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .sends = {{0, 1}}}}, 1, kPlenty, engine);
    CHECK(announced_s(seen) == by_hand(4, engine));
    CHECK(seen.metric("control_messages") == 0);
  }
}

}  // namespace faultline::termination
