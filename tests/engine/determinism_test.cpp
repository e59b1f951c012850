// SPDX-License-Identifier: Apache-2.0

// A seed always gives the same run; another seed or replication gives another one.

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

Seen walk(scenario::EngineKind engine, const std::string& detector, scenario::Ordering ordering,
          std::uint64_t seed, std::uint64_t replication) {
  Job job(12, quick_machine());
  job.spec.platform.processes_per_node = 2;
  job.spec.platform.mapping = scenario::Mapping::random;
  job.spec.platform.ordering = ordering;
  job.workload("token-ring", {{"stop_probability", 0.05}, {"branch_probability", 0.5}});
  job.detector(detector);
  return job.run(engine, seed, replication);
}

/// Fifty moves: two such walks differ unless their random numbers are the same.
Seen fixed_walk(scenario::EngineKind engine, std::uint64_t seed, std::uint64_t replication) {
  Job job(12, quick_machine());
  job.workload("token-ring", {{"walk_length", 50}, {"branch_probability", 0.5}});
  job.detector("cda");
  return job.run(engine, seed, replication);
}

std::string metrics(const Seen& seen) { return to_text(seen); }

}  // namespace

TEST_CASE("the same seed and replication give the same result, event by event") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors())
      for (const scenario::Ordering ordering :
           {scenario::Ordering::fifo, scenario::Ordering::unordered}) {
        const std::string once = metrics(walk(engine, detector, ordering, 3, 4));
        CHECK(metrics(walk(engine, detector, ordering, 3, 4)) == once);
      }
}

TEST_CASE("seed and replication both change the result") {
  for (const scenario::EngineKind engine : engines()) {
    std::set<std::string> results;
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      for (std::uint64_t replication = 0; replication < 5; ++replication)
        results.insert(metrics(fixed_walk(engine, seed, replication)));
    CHECK(results.size() == 25);
  }
}

TEST_CASE("a replication does not depend on those before it") {
  for (const scenario::EngineKind engine : engines()) {
    const std::string alone = metrics(walk(engine, "four-counter", scenario::Ordering::fifo, 1, 9));
    for (std::uint64_t replication = 0; replication < 3; ++replication)
      walk(engine, "four-counter", scenario::Ordering::fifo, 1, replication);
    CHECK(metrics(walk(engine, "four-counter", scenario::Ordering::fifo, 1, 9)) == alone);
  }
}

TEST_CASE("detectors do not disturb the walk that they watch") {
  for (const scenario::EngineKind engine : engines()) {
    std::set<double> moves;
    for (const std::string& detector : detectors())
      moves.insert(walk(engine, detector, scenario::Ordering::fifo, 2, 0).metric("token_moves"));
    CHECK(moves.size() == 1);
  }
}

}  // namespace faultline::engine
