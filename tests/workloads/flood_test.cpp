// SPDX-License-Identifier: Apache-2.0

// flood: which ranks it reaches, and what each has sent.

#include <catch2/catch.hpp>
#include <set>

#include "tests/workloads/observed.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

Seen run(std::uint32_t processes, std::uint32_t fanout, scenario::EngineKind engine) {
  Job job(processes, quick_machine());
  job.workload("flood", {{"fanout", std::int64_t{fanout}}, {"compute_s", 1.0}});
  observe_sends(job);
  return job.run(engine);
}

}  // namespace

TEST_CASE("flood: all that can be reached send to all their successors, once") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t fanout : {1U, 2U, 5U}) {
      const Seen seen = run(20, fanout, engine);
      const Traffic found = traffic(seen);
      std::set<Rank> reached{0};
      for (const auto& [pair, messages] : found) {
        CHECK(messages == 1);
        CHECK(pair.first != pair.second);
        reached.insert(pair.second);
      }
      INFO(engine_word(engine) << ", fanout " << fanout);
      CHECK(found.size() == reached.size() * fanout);
      for (const Rank rank : reached) CHECK(seen.values(rank, "to").size() == fanout);
      CHECK(seen.result.outcome == engine::Outcome::finished);
    }
}

TEST_CASE("flood: the largest fan-out reaches all, at once") {
  const Seen seen = run(6, 5, scenario::EngineKind::loggp);
  CHECK(traffic(seen).size() == 30);
}

TEST_CASE("flood on a tree: every rank is reached once, by its parent") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(12, quick_machine());
    job.workload("flood", {{"graph", "tree"}, {"fanout", 3}, {"compute_s", 1.0}});
    observe_sends(job);
    const Traffic found = traffic(job.run(engine));
    CHECK(found.size() == 11);
    for (Rank rank = 1; rank < 12; ++rank) CHECK(found.count({(rank - 1) / 3, rank}) == 1);
  }
}

}  // namespace faultline::workloads
