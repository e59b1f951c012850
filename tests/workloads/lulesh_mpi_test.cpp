// SPDX-License-Identifier: Apache-2.0

// LULESH over MPI as a program of steps, without transactions.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"
#include "workloads/lulesh_plan.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

void set_up(Job& job, std::int64_t zones, std::int64_t iterations, const OptionValues& more = {}) {
  OptionValues options{{"zones_per_side", zones}, {"iterations", iterations}};
  for (const auto& [name, value] : more) options[name] = value;
  job.workload("lulesh-mpi", options);
  job.spec.stop.when = scenario::StopWhen::finished;
}

}  // namespace

TEST_CASE("lulesh-mpi sends what its plan says in each step, to the right end") {
  for (const scenario::EngineKind engine : engines())
    for (const std::int64_t exchanges : {3, 4})
      for (const std::uint32_t processes : {1U, 8U, 27U}) {
        Job job(processes, quick_machine());
        set_up(job, 4, 3, {{"exchanges", exchanges}, {"zone_compute_s", 1e-7}});
        const LuleshPlan plan(processes, 4, exchanges == 4);
        std::size_t messages = 0;
        for (Rank rank = 0; rank < processes; ++rank)
          for (std::size_t number = 0; number < plan.exchanges().size(); ++number)
            messages += plan.halo(rank, number).sends.size();
        const Seen seen = job.run(engine);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.metric("halo_messages") == 3.0 * static_cast<double>(messages));
        CHECK(seen.metric("state_difference") == 0.0);
      }
}

TEST_CASE("lulesh-mpi: 1,000 ranks exchange 36,828 messages a step, as MPI does") {
  Job job(1000, quick_machine());
  set_up(job, 50, 1);
  CHECK(job.run().metric("halo_messages") == 20952 + 10476 + 5400);
}

TEST_CASE("lulesh-mpi computes as long as its zones take") {
  for (const std::int64_t exchanges : {3, 4}) {
    Job job(1, quick_machine());
    set_up(job, 10, 4, {{"exchanges", exchanges}, {"zone_compute_s", 1e-3}});
    CHECK(job.run().metric("time_to_solution_s") == Approx(4 * 1000 * 1e-3).epsilon(1e-12));
  }
}

TEST_CASE("lulesh-mpi: a cube is needed") {
  const Registration* lulesh = find_registration(Family::workload, "lulesh-mpi");
  REQUIRE(lulesh != nullptr);
  CHECK(lulesh->check({}, JobShape{.processes = 64}).empty());
  CHECK(lulesh->check({}, JobShape{.processes = 65}).size() == 1);
}

}  // namespace faultline::workloads
