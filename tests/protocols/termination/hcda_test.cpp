// SPDX-License-Identifier: Apache-2.0

// HCDA in its three variants: counts by hand, Theorem 1 exactly, and random runs.

#include <catch2/catch.hpp>

#include "protocols/termination/power_sum.hpp"
#include "tests/protocols/termination/random_run.hpp"
#include "tests/protocols/termination/token_walk.hpp"

namespace faultline::termination {

using namespace test;

namespace {

constexpr std::int64_t kInitialCredit = std::int64_t{1} << 32;

/// What Theorem 1's argument counts for one walk: everybody but the agent flushes in the beginning,
/// every owner but the agent flushes the half it kept, borrows where the token carries one unit,
/// and the announcement. Where the owner is the agent, neither costs a message.
double huang_messages(const std::vector<Rank>& owners, std::uint32_t processes) {
  double messages = 2.0 * (processes - 1);
  std::int64_t credit = kInitialCredit;
  for (std::size_t move = 0; move + 1 < owners.size(); ++move) {
    const bool pays = owners[move] != 0;
    if (credit < 2) {
      credit += kInitialCredit;
      messages += pays ? 2 : 0;
    }
    credit /= 2;
    messages += pays ? 1 : 0;
  }
  return messages + (owners.back() != 0 ? 1 : 0);
}

/// Rank 0 sends three messages at once to rank 1, which computes all the while.
Seen three_to_an_active_rank(const std::string& credit, scenario::EngineKind engine) {
  Job job(2);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) { context.compute(self == 0 ? 10 : 1000); };
    handlers.compute_done = [self](ScriptContext& context, std::uint64_t) {
      for (int i = 0; self == 0 && i < 3; ++i) context.send(1, 0, 0);
    };
    return handlers;
  });
  job.detector("hcda", {{"credit", credit}});
  return job.run(engine);
}

const std::vector<std::string>& variants() {
  static const std::vector<std::string> names{"huang", "mattern", "own-currency"};
  return names;
}

}  // namespace

TEST_CASE("hcda: credit of 2^32 halves 32 times, then a process borrows and its message waits") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen enough = stream_of_sends("hcda", {}, 32, engine);
    CHECK(enough.metric("borrows") == 0);
    CHECK(enough.metric("delayed_messages") == 0);
    const Seen short_of_one = stream_of_sends("hcda", {}, 33, engine);
    CHECK(short_of_one.metric("borrows") == 1);
    CHECK(short_of_one.metric("delayed_messages") == 1);
    CHECK(short_of_one.metric("control_messages.borrow") == 1);
    CHECK(short_of_one.metric("control_messages.grant") == 1);
    CHECK(short_of_one.violations().empty());
  }
}

TEST_CASE("hcda: Theorem 1 holds move by move") {
  for (const std::uint32_t processes : {1U, 2U, 3U, 16U, 64U})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Walk run = walk("hcda", {}, processes, 150, seed);
      INFO(processes << " processes, seed " << seed);
      CHECK(run.control() == huang_messages(run.owners, processes));
      CHECK(run.seen.violations().empty());
    }
}

TEST_CASE("hcda: a step of a long walk costs the published 1.060 messages") {
  // 1 + 2/32 for a move, less those in which the token stays or the agent sends it.
  Job job(1024, quick_machine());
  job.workload("token-ring", {{"stop_probability", 0.0}, {"walk_length", 20000}});
  job.detector("hcda");
  const Seen seen = job.run();
  const double slope = (seen.metric("control_messages") - 2 * 1023) / 20000;
  CHECK(slope == Approx(1.060).margin(0.0015));
}

TEST_CASE("hcda: the variants along one path, by hand") {
  const std::vector<Rank> path{0, 1, 2, 1, 3, 2};
  for (const scenario::EngineKind engine : engines()) {
    // Credit 2 a process. Three flush at the start. The token always carries one unit, so that
    // every sender but the agent borrows 2, sends one of 3 and flushes 2; the last owner flushes 1.
    const Seen huang = walk_along("hcda", {{"initial_credit", 2}}, 4, path, engine);
    CHECK(huang.metric("borrows") == 4);
    CHECK(huang.metric("flushes") == 3 + 4 + 1);
    CHECK(huang.metric("control_messages") == 3 + 4 + 1 + 2 * 4 + 3);

    // Y = 1, 2, 3, 4, 5 travel; every sender but the agent returns as much, the last owner 5.
    const Seen mattern = walk_along("hcda", {{"credit", "mattern"}}, 4, path, engine);
    CHECK(mattern.metric("flushes") == 3 + 4 + 1);
    CHECK(mattern.metric("control_messages") == 3 + 4 + 1 + 3);

    // The agent has 8 of its currency back when it sends 4; 2 and 1 follow. Rank 1, which holds 1
    // then, issues its own currency, and so does rank 3, with 1 of that. Flushes: three at the
    // start, from 1 and 2 to the agent, the last owner to 3, then 3 to 1 and 1 to the agent.
    const Seen currencies =
        walk_along("hcda", {{"credit", "own-currency"}, {"initial_credit", 2}}, 4, path, engine);
    CHECK(currencies.metric("subcalls") == 2);
    CHECK(currencies.metric("flushes") == 3 + 2 + 1 + 1 + 1);
    CHECK(currencies.metric("control_messages") == 8 + 3);
    for (const Seen& seen : {huang, mattern, currencies}) {
      CHECK(seen.result.outcome == engine::Outcome::terminated);
      CHECK(seen.violations().empty());
    }
  }
}

TEST_CASE("hcda: active receivers add up what messages carry, but return it under Mattern") {
  for (const scenario::EngineKind engine : engines()) {
    CHECK(three_to_an_active_rank("huang", engine).metric("flushes") == 1);
    CHECK(three_to_an_active_rank("own-currency", engine).metric("flushes") == 1);
    CHECK(three_to_an_active_rank("mattern", engine).metric("flushes") == 3 + 1);
  }
}

TEST_CASE("hcda: Mattern's credit does not run out on a long walk") {
  const Walk run = walk("hcda", {{"credit", "mattern"}}, 8, 20000, 1);
  double paid = 0;
  for (const Rank owner : run.owners) paid += owner == 0 ? 0 : 1;
  CHECK(run.control() == 2 * 7 + paid);
  CHECK(run.seen.metric("control_messages.borrow") == 0);
  CHECK(run.seen.violations().empty());
}

TEST_CASE("hcda: powers of two that halving has made add up to one again") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Stream random(seed, 0, Purpose::termination, 0);
    std::vector<std::uint64_t> parts{0};
    for (int split = 0; split < 500; ++split) {
      auto& part = parts[seed % 2 == 0 ? parts.size() - 1 : random.below(parts.size())];
      const std::uint64_t half = ++part;
      parts.push_back(half);
    }
    PowerSum sum;
    for (std::size_t i = parts.size(); i > 0; --i) {
      CHECK(sum.whole() != 1U);
      std::swap(parts[i - 1], parts[random.below(i)]);
      sum.add(parts[i - 1]);
    }
    CHECK(sum.whole() == 1U);
  }
}

TEST_CASE("hcda: no wrong announcement and no lost credit in random runs") {
  for (const std::string& credit : variants()) {
    INFO(credit);
    const DetectorUnderTest detector = registered("hcda", {{"credit", credit}});
    CHECK(counterexample(detector, scenario::EngineKind::loggp, 1800) == "");
  }
}

}  // namespace faultline::termination
