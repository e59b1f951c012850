// SPDX-License-Identifier: Apache-2.0

// token-ring: how long it walks, how it branches, what it costs.

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/workloads/observed.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

/// A mean that is known, of that many independent values of that standard deviation.
Approx mean_of(double mean, double deviation, std::uint64_t count) {
  return Approx(mean).margin(4 * deviation / std::sqrt(static_cast<double>(count)));
}

}  // namespace

TEST_CASE("a walk of a stated length makes so many steps and costs their time") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t processes : {1U, 2U, 16U})
      for (const std::int64_t length : {0, 1, 50}) {
        Job job(processes);
        job.workload("token-ring",
                     {{"walk_length", length}, {"step_compute_s", 3}, {"bytes", 100}});
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ", " << processes << " processes, length " << length);
        const double moves = seen.metric("token_moves");
        CHECK(moves + seen.metric("token_stays") == static_cast<double>(length));
        CHECK(seen.metric("application_messages") == moves);
        CHECK((processes > 1 || moves == 0));
        // The owner computes before each step and before it finds that there is none: 3 s, and a
        // move is 13 s with its 100 bytes.
        CHECK(seen.metric("termination_time_s") ==
              Approx(3 * (static_cast<double>(length) + 1) + 13 * moves).epsilon(1e-6));
      }
}

TEST_CASE("the stop is tested before every move, the first included") {
  // Steps are geometric: (1 - q)/q on average, none at all with probability q.
  constexpr std::uint64_t kRuns = 6000;
  for (const double q : {0.2, 0.5}) {
    double steps = 0;
    double moves = 0;
    double none = 0;
    for (std::uint64_t replication = 0; replication < kRuns; ++replication) {
      Job job(4, quick_machine());
      job.workload("token-ring", {{"stop_probability", q}});
      const Seen seen = job.run(scenario::EngineKind::loggp, 1, replication);
      const double walked = seen.metric("token_moves") + seen.metric("token_stays");
      steps += walked;
      moves += seen.metric("token_moves");
      none += walked == 0 ? 1 : 0;
    }
    INFO("q = " << q);
    const double deviation = std::sqrt(1 - q) / q;
    CHECK(steps / kRuns == mean_of((1 - q) / q, deviation, kRuns));
    CHECK(moves / kRuns == mean_of((1 - q) / q * 3 / 4, deviation, kRuns));
    CHECK(none / kRuns == mean_of(q, std::sqrt(q * (1 - q)), kRuns));
  }
}

TEST_CASE("a walk that surely stops sends nothing") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.workload("token-ring", {{"stop_probability", 1}});
    CHECK(job.run(engine).metric("application_messages") == 0);
  }
}

TEST_CASE("every step branches with its probability, into a leaf task that ends where it runs") {
  for (const scenario::EngineKind engine : engines())
    for (const double probability : {0.0, 0.3, 1.0}) {
      constexpr std::uint64_t kSteps = 2000;
      Job job(8, quick_machine());
      job.workload("token-ring", {{"walk_length", std::int64_t{kSteps}},
                                  {"branch_probability", probability},
                                  {"step_compute_s", 1e-5},
                                  {"leaf_compute_s", 1e-4}});
      observe_sends(job);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", probability " << probability);
      const double leaves = seen.metric("leaf_tasks");
      const double deviation = std::sqrt(probability * (1 - probability));
      CHECK(leaves / kSteps == mean_of(probability, deviation, kSteps));
      // A leaf that stays, with probability 1/8, makes no message.
      const double sent = seen.metric("application_messages") - seen.metric("token_moves");
      CHECK(sent <= leaves);
      CHECK(sent / kSteps == mean_of(probability * 7 / 8, 0.5, kSteps));
      CHECK(seen.result.outcome == engine::Outcome::finished);
      for (const auto& [pair, messages] : traffic(seen)) CHECK(pair.first != pair.second);
    }
}

TEST_CASE("the token goes to every rank equally often") {
  constexpr std::int64_t kSteps = 20000;
  Job job(5, quick_machine());
  job.workload("token-ring", {{"walk_length", kSteps}, {"step_compute_s", 0}});
  observe_sends(job);
  const Seen seen = job.run();
  std::map<Rank, double> visits;
  for (const auto& [pair, messages] : traffic(seen))
    visits[pair.second] += static_cast<double>(messages);
  REQUIRE(visits.size() == 5);
  // A step moves to a given rank with probability 4/5 x 1/5.
  for (const auto& [rank, count] : visits) CHECK(count / kSteps == mean_of(0.16, 0.37, kSteps));
}

TEST_CASE("an additional token walks on with its probability, tested after each computation") {
  // So many tasks are geometric: 1/(1 - b) on average, however they are spread.
  for (const scenario::EngineKind engine : engines())
    for (const double walks_on : {0.5, 0.8}) {
      constexpr std::uint64_t kSteps = 4000;
      Job job(8, quick_machine());
      job.workload("token-ring", {{"walk_length", std::int64_t{kSteps}},
                                  {"branch_probability", 1},
                                  {"branch_walk_probability", walks_on},
                                  {"step_compute_s", 1e-5},
                                  {"leaf_compute_s", 1e-6}});
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", probability " << walks_on);
      const double deviation = std::sqrt(walks_on) / (1 - walks_on);
      CHECK(seen.metric("leaf_tasks") / kSteps == mean_of(1 / (1 - walks_on), deviation, kSteps));
      CHECK(seen.result.outcome == engine::Outcome::finished);
    }
}

TEST_CASE("in a pipeline the token stays on rank 1 and every other goes from rank to next rank") {
  for (const scenario::EngineKind engine : engines()) {
    constexpr std::int64_t kSteps = 1000;
    Job job(5, quick_machine());
    job.workload("token-ring", {{"route", "pipeline"},
                                {"walk_length", kSteps},
                                {"branch_probability", 1},
                                {"branch_walk_probability", 0.9},
                                {"step_compute_s", 1e-5}});
    observe_sends(job);
    const Seen seen = job.run(engine);
    INFO(engine_word(engine));
    CHECK(seen.metric("token_stays") == static_cast<double>(kSteps));
    CHECK(seen.metric("token_moves") == 0);
    const auto messages = traffic(seen);
    for (const auto& [pair, count] : messages) CHECK(pair.second == (pair.first + 1) % 5);
    // From rank 0 comes the token itself, too, once.
    CHECK(seen.metric("application_messages") == seen.metric("leaf_tasks") + 1);
    // 1 : 0.9 : 0.81 go on from ranks 1, 2, 3, each once more after every round of five.
    const auto from = [&](Rank rank) {
      return static_cast<double>(messages.at({rank, (rank + 1) % 5}));
    };
    CHECK(from(2) / from(1) == Approx(0.9).margin(0.04));
    CHECK(from(3) / from(2) == Approx(0.9).margin(0.04));
  }
  Job alone(1);
  alone.workload(
      "token-ring",
      {{"route", "pipeline"}, {"walk_length", std::int64_t{3}}, {"branch_probability", 1}});
  CHECK(alone.run(scenario::EngineKind::loggp).metric("application_messages") == 0);
}

}  // namespace faultline::workloads
