// SPDX-License-Identifier: Apache-2.0

// MiniFE as a program of steps, without transactions.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"
#include "workloads/minife_plan.hpp"
#include "workloads/program.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

/// A job of MiniFE on a cube of elements.
void set_up(Job& job, std::int64_t side, std::int64_t iterations, const OptionValues& more = {}) {
  OptionValues options{{"nx", side}, {"ny", side}, {"nz", side}, {"iterations", iterations}};
  for (const auto& [name, value] : more) options[name] = value;
  job.workload("minife", options);
  job.spec.stop.when = scenario::StopWhen::finished;
}

std::size_t halos(std::uint32_t side, std::uint32_t processes) {
  const MiniFePlan plan({side, side, side}, processes);
  std::size_t messages = 0;
  for (Rank rank = 0; rank < processes; ++rank) messages += plan.halo(rank).sends.size();
  return messages;
}

/// The messages of one sum by recursive doubling.
std::size_t sum_messages(std::uint32_t processes) {
  std::size_t core = 1;
  std::size_t stages = 0;
  for (; 2 * core <= processes; core *= 2) ++stages;
  return core * stages + 2 * (processes - core);
}

}  // namespace

TEST_CASE("minife sends the halos of its plan and two sums in each iteration") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t processes : {1U, 2U, 3U, 6U, 8U, 13U}) {
      Job job(processes, quick_machine());
      set_up(job, 8, 3);
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.metric("halo_messages") == 3.0 * static_cast<double>(halos(8, processes)));
      CHECK(seen.metric("application_messages") ==
            3.0 * static_cast<double>(halos(8, processes) + 2 * sum_messages(processes)));
      CHECK(seen.metric("state_difference") == 0.0);
      CHECK(seen.metric("redone_iterations") == 0.0);
    }
}

TEST_CASE("minife without dots has no sums, and other states") {
  Job with(6, quick_machine());
  set_up(with, 8, 2);
  Job without(6, quick_machine());
  set_up(without, 8, 2, {{"dots", "none"}});
  const Seen none = without.run();
  CHECK(none.metric("application_messages") == none.metric("halo_messages"));
  CHECK(none.metric("state_digest") != with.run().metric("state_digest"));
}

TEST_CASE("the computations of an iteration take as long as moving its bytes") {
  Job job(1, quick_machine());
  set_up(job, 10, 4, {{"memory_bandwidth_Bps", 1e6}});
  const MiniFePlan plan({10, 10, 10}, 1);
  const double by_hand_s = 4 * static_cast<double>(plan.moved_bytes(0)) / 1e6;
  CHECK(job.run().metric("time_to_solution_s") == Approx(by_hand_s).epsilon(1e-12));
}

TEST_CASE("a death ends the job of an MPI without transactions") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, quick_machine());
    set_up(job, 8, 100);
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
    job.kill(1e-4, {2});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("the right state depends on every message that a rank consumes") {
  Program program;
  program.processes = 3;
  program.iterations = 2;
  program.steps = {{.kind = ProgramStep::Kind::exchange}, {.kind = ProgramStep::Kind::allreduce}};
  program.exchanges = {{.sends = {}, .receives = {{.rank = 1}, {.rank = 2}}}};
  const std::uint64_t state = states_by_steps().state_after(program, 0, 2, {});
  CHECK(state != states_by_steps().state_after(program, 0, 1, {}));
  CHECK(state != states_by_steps().state_after(program, 1, 2, {}));
  program.exchanges[0].receives.pop_back();
  CHECK(state != states_by_steps().state_after(program, 0, 2, {}));
  std::uint64_t sum = 0;
  for (Rank rank = 0; rank < 3; ++rank) sum += states_by_steps().contributed({rank, 7, 1}, 0);
  CHECK(sum == StatesBySteps::sum({0, 3}, 7, 1));
}

TEST_CASE("a step that finishes a TryBlock is that of its beginning, inner ones left out") {
  using Kind = ProgramStep::Kind;
  Program program;
  for (const Kind kind : {Kind::begin_try, Kind::begin_try, Kind::exchange, Kind::finish,
                          Kind::compute, Kind::finish, Kind::checkpoint})
    program.steps.push_back({.kind = kind});
  CHECK(program.finish_of(0) == 5);
  CHECK(program.finish_of(1) == 3);
}

}  // namespace faultline::workloads
