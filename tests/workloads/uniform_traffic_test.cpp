// SPDX-License-Identifier: Apache-2.0

// uniform-traffic: how many messages, and between whom.

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/workloads/observed.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

std::map<Rank, std::set<Rank>> successors(const Seen& seen) {
  std::map<Rank, std::set<Rank>> found;
  for (const auto& [pair, messages] : traffic(seen)) found[pair.first].insert(pair.second);
  return found;
}

Seen run(std::uint32_t processes, const OptionValues& options, scenario::EngineKind engine,
         std::uint64_t seed = 1) {
  Job job(processes, quick_machine());
  job.workload("uniform-traffic", options);
  observe_sends(job);
  return job.run(engine, seed);
}

}  // namespace

TEST_CASE("every token makes its hops, whatever else is under way") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t processes : {1U, 2U, 5U, 16U})
      for (const std::int64_t tokens : {1, 7, 40}) {
        const Seen seen = run(processes, {{"tokens", tokens}, {"hops", 25}}, engine);
        INFO(engine_word(engine) << ", " << processes << " processes, " << tokens << " tokens");
        CHECK(seen.metric("application_messages") == static_cast<double>(25 * tokens));
        CHECK(seen.metric("application_bytes") == 64.0 * 25.0 * static_cast<double>(tokens));
        CHECK(seen.result.outcome == engine::Outcome::finished);
      }
}

TEST_CASE("without a number of tokens every rank has one") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run(6, {{"hops", 1}}, engine);
    CHECK(seen.metric("application_messages") == 6);
    for (Rank rank = 0; rank < 6; ++rank) CHECK(seen.values(rank, "to").size() == 1);
  }
}

TEST_CASE("tokens are dealt to the ranks in turn") {
  const Seen seen = run(4, {{"tokens", 6}, {"hops", 1}}, scenario::EngineKind::loggp);
  for (const auto& [rank, dealt] : std::map<Rank, std::size_t>{{0, 2}, {1, 2}, {2, 1}, {3, 1}})
    CHECK(seen.values(rank, "to").size() == dealt);
}

TEST_CASE("fanout: fixed, distinct successors, never the rank itself") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t fanout : {1U, 2U, 5U, 9U}) {
      const Seen seen =
          run(10, {{"hops", 300}, {"fanout", std::int64_t{fanout}}, {"tokens", 40}}, engine);
      INFO(engine_word(engine) << ", fanout " << fanout);
      const auto found = successors(seen);
      for (const auto& [rank, to] : found) {
        CHECK(to.count(rank) == 0);
        // Most ranks send hundreds of messages; one to which few lead may not reach all of its own.
        CHECK(to.size() <= fanout);
        if (seen.values(rank, "to").size() > std::size_t{40} * fanout) CHECK(to.size() == fanout);
      }
    }
}

TEST_CASE("successors do not depend on the engine, the tokens or the bytes") {
  for (const scenario::EngineKind engine : engines()) {
    const auto reference = successors(
        run(8, {{"tokens", 64}, {"hops", 200}, {"fanout", 2}}, scenario::EngineKind::loggp, 5));
    const auto other = successors(
        run(8, {{"tokens", 80}, {"hops", 200}, {"fanout", 2}, {"bytes", 1000}}, engine, 5));
    CHECK(reference == other);
    CHECK(reference != successors(run(8, {{"tokens", 64}, {"hops", 200}, {"fanout", 2}},
                                      scenario::EngineKind::loggp, 6)));
  }
}

TEST_CASE("fanout null: every other rank is a successor, equally often") {
  const Seen seen = run(6, {{"tokens", 60}, {"hops", 500}}, scenario::EngineKind::loggp);
  const Traffic found = traffic(seen);
  CHECK(found.size() == 30);
  for (const auto& [pair, messages] : found) {
    CHECK(pair.first != pair.second);
    CHECK(static_cast<double>(messages) == Approx(1000).margin(4.5 * std::sqrt(1000.0)));
  }
}

TEST_CASE("every set of successors is equally likely") {
  // Two of the five other ranks, by their distance: each in two of five sets.
  constexpr std::uint64_t kSeeds = 250;
  std::map<Rank, double> chosen;
  double ranks = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Seen seen =
        run(6, {{"tokens", 120}, {"hops", 10}, {"fanout", 2}}, scenario::EngineKind::loggp, seed);
    for (const auto& [rank, to] : successors(seen)) {
      REQUIRE(to.size() == 2);
      ++ranks;
      for (const Rank successor : to) ++chosen[(successor + 6 - rank) % 6];
    }
  }
  REQUIRE(ranks == 6 * kSeeds);
  for (Rank distance = 1; distance < 6; ++distance)
    CHECK(chosen[distance] == Approx(0.4 * ranks).margin(4.5 * std::sqrt(0.24 * ranks)));
}

TEST_CASE("a burst: one message to each successor, and a computation of every rank") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run(10, {{"tokens", 0}, {"fanout", 3}, {"burst_compute_s", 2.0}}, engine);
    const auto found = successors(seen);
    REQUIRE(found.size() == 10);
    for (const auto& [rank, to] : found) CHECK(to.size() == 3);
    CHECK(seen.metric("application_messages") == 30);
    CHECK(seen.metric("end_time_s") == Approx(2.0).epsilon(1e-3));
  }
}

TEST_CASE("tokens after a burst go to the same successors") {
  const Seen seen =
      run(10, {{"hops", 40}, {"fanout", 3}, {"burst_compute_s", 0.0}}, scenario::EngineKind::loggp);
  CHECK(seen.metric("application_messages") == 30 + 400);
  for (const auto& [rank, to] : successors(seen)) CHECK(to.size() == 3);
}

}  // namespace faultline::workloads
