// SPDX-License-Identifier: Apache-2.0

// Errors that are raised, and processors that stall, in programs of TryBlocks: nobody dies, and
// what was rejected is done again.

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

faults::FaultSpec soft(double time_s, std::vector<Rank> ranks) {
  faults::FaultSpec fault;
  fault.time_s = time_s;
  fault.ranks = std::move(ranks);
  fault.soft = true;
  return fault;
}

faults::FaultSpec stall(double time_s, Rank rank, double stall_s) {
  faults::FaultSpec fault = soft(time_s, {rank});
  fault.soft = false;
  fault.stall_s = stall_s;
  return fault;
}

/// Three TryBlocks in which all compute for a second, on nodes of one rank.
void set_up_blocks(Job& job, const OptionValues& fampi = {}, const OptionValues& blocks = {}) {
  OptionValues program{{"iterations", std::int64_t{3}}, {"compute_s", 1.0}};
  for (const auto& [name, value] : blocks) program[name] = value;
  job.workload("try-blocks", program);
  job.use(Family::transactions, "fampi", fampi);
  job.spec.stop.when = scenario::StopWhen::finished;
}

double right_digest(const std::string& workload, const OptionValues& options) {
  Job job(8, quick_machine());
  job.workload(workload, options);
  job.spec.stop.when = scenario::StopWhen::finished;
  return job.run().metric("state_digest");
}

}  // namespace

TEST_CASE("an error in a TryBlock rejects it for all, and nobody dies") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string agreement : {"era", "two-phase", "star"}) {
      Job job(5, quick_machine());
      set_up_blocks(job, {{"agreement", agreement}});
      job.spec.faults = {soft(0.5, {3})};
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      CHECK(seen.metric("blocks_rejected") == 1);
      CHECK(seen.metric("blocks_committed") == 3);
      CHECK(seen.metric("errors_raised") == 1);
      CHECK(seen.metric("redone_iterations") == 0);
      CHECK(seen.metric("ranks_respawned") == 0);
      CHECK(seen.metric("recovery_time_s") == 0);
      CHECK(seen.metric("time_to_solution_s") == Approx(4).epsilon(1e-3));
    }
}

TEST_CASE("errors of several ranks in one TryBlock reject it once") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5, quick_machine());
    set_up_blocks(job);
    job.spec.faults = {soft(0.5, {0, 3}), soft(0.75, {3})};
    const Seen seen = job.run(engine);
    CHECK(seen.metric("blocks_rejected") == 1);
    CHECK(seen.metric("errors_raised") == 3);
  }
}

TEST_CASE("an error outside of TryBlocks is raised in the next one") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5, quick_machine());
    // The first TryBlock is being committed, and is accepted. Where nothing is saved, the program
    // begins again because of the second one.
    set_up_blocks(job);
    job.spec.faults = {soft(1 + 2e-6, {4})};
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("blocks_rejected") == 1);
    CHECK(seen.metric("blocks_committed") == 4);
    CHECK(seen.metric("redone_iterations") == 1);
    // With a checkpoint at each commit, only the second TryBlock is done again.
    Job saves(5, quick_machine());
    set_up_blocks(saves, {{"checkpoint", std::string("partner")},
                          {"checkpoint_iterations", std::int64_t{1}}});
    saves.spec.faults = {soft(1 + 2e-6, {4})};
    const Seen other = saves.run(engine);
    CHECK(other.metric("blocks_rejected") == 1);
    CHECK(other.metric("blocks_committed") == 3);
    CHECK(other.metric("redone_iterations") == 0);
  }
}

TEST_CASE("an error after the last TryBlock changes nothing") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5, quick_machine());
    set_up_blocks(job);
    faults::FaultSpec late = soft(0, {4});
    late.time_s.reset();
    late.mark = faults::MarkSpec{"decided", 3};
    job.spec.faults = {late};
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("blocks_rejected") == 0);
  }
}

TEST_CASE("errors that never end are given up after as many retries as are allowed") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5, quick_machine());
    set_up_blocks(job, {{"retries", std::int64_t{2}}});
    for (const double time_s : {0.5, 1.5, 2.5}) job.spec.faults.push_back(soft(time_s, {1}));
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
    CHECK(seen.violations().empty());
    CHECK(seen.result.fatal_reason ==
          "a TryBlock has been rejected too often although nobody has died");
  }
}

TEST_CASE("an error in an inner TryBlock rejects the one around it, at any moment") {
  const OptionValues options{{"zones_per_side", std::int64_t{4}}, {"iterations", std::int64_t{3}}};
  const double right = right_digest("lulesh-mpi", options);
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t event = 10; event < 1500;
         event += engine == scenario::EngineKind::loggp ? 10 : 150) {
      Job job(8, quick_machine());
      job.workload("lulesh-mpi", options);
      job.use(Family::transactions, "fampi",
              {{"release", std::string(event % 20 == 0 ? "invite" : "timeout")},
               {"request_timeout_s", 0.01}});
      job.spec.stop.when = scenario::StopWhen::finished;
      faults::FaultSpec fault = soft(0, {static_cast<Rank>(event / 10 % 8)});
      fault.time_s.reset();
      fault.event = event;
      job.spec.faults = {fault};
      const Seen seen = job.run(engine);
      INFO(event);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      CHECK(seen.metric("state_digest") == right);
      CHECK(seen.metric("blocks_rejected") <= 1);
    }
}

TEST_CASE("requests to a rank that stalls time out, and the TryBlock is done again") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    set_up_blocks(job, {{"request_timeout_s", 100.0}, {"wait_timeout_s", 1e6}},
                  {{"compute_s", 10.0}, {"allreduces", std::int64_t{1}}});
    // Rank 0 waits for rank 1 from 10 s on, until 110 s. Rank 1 has computed at 1010 s, and sends
    // its part, receives that of rank 0, and commits.
    job.spec.faults = {stall(5, 1, 1000)};
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("timeouts") == 1);
    CHECK(seen.metric("requests_cancelled") == 0);
    CHECK(seen.metric("blocks_rejected") == 1);
    CHECK(seen.metric("blocks_committed") == 3);
    CHECK(seen.metric("time_to_solution_s") > 1010 + 3 * 10);
    CHECK(seen.metric("time_to_solution_s") < 1010 + 3 * 10 + 5 * 60);
  }
}

TEST_CASE("a stall that is shorter than the timeout rejects nothing") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    set_up_blocks(job, {{"request_timeout_s", 100.0}, {"wait_timeout_s", 1e6}},
                  {{"compute_s", 10.0}, {"allreduces", std::int64_t{1}}});
    job.spec.faults = {stall(5, 1, 80)};
    const Seen seen = job.run(engine);
    CHECK(seen.metric("timeouts") == 0);
    CHECK(seen.metric("blocks_rejected") == 0);
  }
}

TEST_CASE("a rank may stall at any moment: nobody dies, and the states are right") {
  const OptionValues options{{"nx", std::int64_t{6}},
                             {"ny", std::int64_t{6}},
                             {"nz", std::int64_t{6}},
                             {"iterations", std::int64_t{3}}};
  const double right = right_digest("minife", options);
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t event = 1; event < 1200;
         event += engine == scenario::EngineKind::loggp ? 13 : 200) {
      Job job(8, quick_machine());
      job.workload("minife", options);
      job.use(Family::transactions, "fampi", {{"request_timeout_s", 0.01}});
      job.spec.stop.when = scenario::StopWhen::finished;
      faults::FaultSpec fault = stall(0, static_cast<Rank>(event % 8), 0.05);
      fault.time_s.reset();
      fault.event = event;
      job.spec.faults = {fault};
      const Seen seen = job.run(engine);
      INFO(event);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      CHECK(seen.metric("state_digest") == right);
    }
}

}  // namespace faultline::transactions
