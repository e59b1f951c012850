// SPDX-License-Identifier: Apache-2.0

// try-script: a program of TryBlocks as the scenario states it, on both engines.

#include <array>
#include <catch2/catch.hpp>
#include <charconv>
#include <string>
#include <vector>

#include "tests/support/job.hpp"
#include "workloads/minife_plan.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

Job& stated(Job& job, const Words& steps, std::int64_t iterations = 1,
            const OptionValues& more = {}) {
  OptionValues options{{"steps", steps}, {"iterations", iterations}};
  for (const auto& [name, value] : more) options[name] = value;
  job.workload("try-script", options);
  job.spec.stop.when = scenario::StopWhen::finished;
  return job;
}

/// With FA-MPI below, copies of checkpoints, and a failure detector.
Job& under(Job& job, const std::string& protocol, const OptionValues& more = {}) {
  job.spec.platform.spare_nodes = 3;
  OptionValues options{{"checkpoint", std::string("partner")},
                       {"checkpoint_iterations", std::int64_t{1}}};
  if (protocol == "fampi") options["request_timeout_s"] = 1e-3;
  for (const auto& [name, value] : more) options[name] = value;
  job.use(Family::transactions, protocol, options);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  return job;
}

/// A step that computes for exactly so long.
std::string compute(double duration_s) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), duration_s).ptr;
  return "compute " + std::string(digits.data(), end) + " s";
}

const Words kAll = {"try",
                    "compute 2e-5 s",
                    "try local among 0-4",
                    "exchange 1000 B with -1 +1 among 0-4",
                    "compute 1e-5 s",
                    "try local among 3-4",
                    "allreduce 8 B among 3-4",
                    "finish",
                    "finish",
                    "allreduce 8 B among 2-8",
                    "compute 1e-5 s among 5-8",
                    "exchange 100 B with +2",
                    "allreduce 8 B",
                    "finish",
                    "checkpoint"};

}  // namespace

// A message of k bytes takes 12 + k/100 s, and a rank sends the next one 1 s later.
TEST_CASE("steps take the time computed on paper, and only the ranks in them") {
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    const auto time_s = [&](const Words& steps) {
      Job job(4);
      return stated(job, steps).run(engine).metric("time_to_solution_s");
    };
    const double tolerance = time_tolerance(engine);
    CHECK(time_s({"try", "compute 5 s", "finish"}) == Approx(5).epsilon(tolerance));
    CHECK(time_s({"try", "compute 5 s among 1-2", "compute 7 s among 2", "finish"}) ==
          Approx(12).epsilon(tolerance));
    CHECK(time_s({"try", "try local among 1-2", "compute 5 s", "finish", "compute 7 s among 3",
                  "finish"}) == Approx(7).epsilon(tolerance));
    CHECK(time_s({"try", "exchange 100 B with +1", "finish"}) == Approx(13).epsilon(tolerance));
    // Two pairs sum at the same time, in one stage each.
    CHECK(time_s({"try", "allreduce 100 B among 0-1", "allreduce 100 B among 2-3", "finish"}) ==
          Approx(13).epsilon(tolerance));
    // Rank 1 sums with rank 2 when it has done so with rank 0.
    CHECK(time_s({"try", "compute 2 s among 2", "allreduce 100 B among 0-1",
                  "allreduce 100 B among 1-2", "finish"}) == Approx(26).epsilon(tolerance));
  }
}

TEST_CASE("messages are those of the communicators") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(9, quick_machine());
    const Seen seen = stated(job, kAll, 3).run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("halo_messages") == 3 * (5 * 2 + 9));
    // Two ranks sum with 2 messages; 7 are 4 in 2 stages, and 3 with 2 more each; 9 are 8 in 3
    // stages, and one.
    CHECK(seen.metric("application_messages") ==
          3 * (5 * 2 + 9 + 2 + (4 * 2 + 3 * 2) + (8 * 3 + 2)));
    CHECK(seen.metric("state_difference") == 0.0);
  }
}

TEST_CASE("the steps of try-blocks make that workload, to the last number") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"", "fampi", "ulfm"})
      for (const bool dies : {false, true}) {
        if (dies && protocol.empty()) continue;
        const auto set_up = [&](Job& job) {
          if (!protocol.empty()) under(job, protocol);
          job.spec.stop.when = scenario::StopWhen::finished;
          if (dies) job.kill(3e-4, {2});
        };
        Job blocks(6, quick_machine());
        blocks.workload("try-blocks", {{"iterations", std::int64_t{5}},
                                       {"iterations_per_block", std::int64_t{2}},
                                       {"compute_s", 1e-4},
                                       {"allreduces", std::int64_t{2}},
                                       {"bytes", std::int64_t{16}},
                                       {"state_bytes", std::int64_t{1000}},
                                       {"needs_all_ranks", true}});
        set_up(blocks);
        Job script(6, quick_machine());
        stated(
            script,
            {"try", "compute 1e-4 s", "allreduce 16 B", "allreduce 16 B", "finish", "checkpoint"},
            5, {{"iterations_per_block", std::int64_t{2}}, {"state_bytes", std::int64_t{1000}}});
        set_up(script);
        CAPTURE(protocol, dies, engine_word(engine));
        const Seen one = blocks.run(engine);
        const Seen other = script.run(engine);
        CHECK(one.result.events == other.result.events);
        CHECK(one.result.metrics.values() == other.result.metrics.values());
        if (dies) CHECK(other.metric("ranks_respawned") == 1);
      }
}

// An odd number of elements gives both ranks as many rows, and each has one neighbour.
TEST_CASE("the steps of minife make that workload on two ranks, to the last number") {
  constexpr double kBandwidth_Bps = 1e9;
  const MiniFePlan plan({8, 8, 7}, 2);
  REQUIRE(plan.moved_bytes(0) == plan.moved_bytes(1));
  const double vector_s = 8.0 * static_cast<double>(plan.rows(0).size()) / kBandwidth_Bps;
  const double whole_s = static_cast<double>(plan.moved_bytes(0)) / kBandwidth_Bps;
  const std::string halo = std::to_string(plan.halo(0).sends.at(0).bytes);
  const Words steps{"try",
                    compute(vector_s),
                    "allreduce 8 B",
                    compute(3 * vector_s),
                    "exchange " + halo + " B with +1",
                    compute(whole_s - 10 * vector_s),
                    "allreduce 8 B",
                    compute(6 * vector_s),
                    "finish",
                    "checkpoint"};
  for (const scenario::EngineKind engine : engines())
    for (const bool dies : {false, true}) {
      const auto set_up = [&](Job& job) -> Job& {
        job.spec.stop.when = scenario::StopWhen::finished;
        if (dies) job.kill(2.5 * whole_s, {1});
        return under(job, "fampi");
      };
      Job minife(2, quick_machine());
      minife.workload("minife", {{"nx", std::int64_t{8}},
                                 {"ny", std::int64_t{8}},
                                 {"nz", std::int64_t{7}},
                                 {"iterations", std::int64_t{4}},
                                 {"memory_bandwidth_Bps", kBandwidth_Bps}});
      const Seen one = set_up(minife).run(engine);
      Job script(2, quick_machine());
      stated(script, steps, 4, {{"state_bytes", static_cast<std::int64_t>(plan.state_bytes(0))}});
      const Seen other = set_up(script).run(engine);
      CAPTURE(dies, engine_word(engine));
      CHECK(one.result.outcome == engine::Outcome::finished);
      CHECK(one.result.events == other.result.events);
      CHECK(one.result.metrics.values() == other.result.metrics.values());
      CHECK(other.metric("ranks_respawned") == (dies ? 1 : 0));
    }
}

TEST_CASE("a stated program goes on after a death at any time, to the same states") {
  Job without(9, quick_machine());
  const Seen right = under(stated(without, kAll, 4), "fampi").run();
  const double end_s = right.metric("time_to_solution_s");
  CHECK(right.metric("blocks_committed") == 4);
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi", "ulfm", "relaunch"})
      for (int moment = 1; moment < 10; ++moment) {
        Job job(9, quick_machine());
        under(stated(job, kAll, 4), protocol);
        job.kill(end_s * moment / 10, {static_cast<Rank>(moment - 1)});
        const Seen seen = job.run(engine);
        CAPTURE(protocol, moment, engine_word(engine), seen.result.fatal_reason);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("state_digest") == right.metric("state_digest"));
        if (protocol != "relaunch") CHECK(seen.metric("ranks_respawned") == 1);
      }
}

TEST_CASE("what fails in a local TryBlock of some ranks is recovered by the one around it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, quick_machine());
    stated(job,
           {"try", "try local among 0-2", "exchange 8 B with +1 among 0-2", "compute 1e-3 s",
            "finish", "compute 1e-4 s", "allreduce 8 B", "finish", "checkpoint"},
           2);
    under(job, "fampi", {{"request_timeout_s", 1e-2}});
    faults::FaultSpec error;
    error.time_s = 5e-4;
    error.ranks = {1};
    error.soft = true;
    job.spec.faults.push_back(error);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("errors_raised") == 1);
    CHECK(seen.metric("blocks_rejected") == 1);
    CHECK(seen.metric("ranks_respawned") == 0);
  }
}

TEST_CASE("an iteration can have two TryBlocks: a death in the second one costs both") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi", "ulfm"}) {
      Job job(5, quick_machine());
      stated(job,
             {"try", "compute 1e-3 s", "allreduce 8 B", "finish", "compute 1e-4 s", "try",
              "compute 1e-3 s", "exchange 8 B with +1", "finish", "checkpoint"},
             3);
      under(job, protocol);
      job.kill(2.2e-3 + 1.7e-3, {3});  // in the second one of the second iteration
      const Seen seen = job.run(engine);
      CAPTURE(protocol, engine_word(engine), seen.result.fatal_reason);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      CHECK(seen.metric("blocks_committed") == 7);
      CHECK(seen.metric("blocks_rejected") == 1);
      CHECK(seen.metric("redone_iterations") == 0);
    }
}

TEST_CASE("a stated program of sums goes on with the ranks that are left") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(7, quick_machine());
    stated(job, {"try", "compute 1e-4 s", "try local", "allreduce 8 B", "finish", "finish"}, 4,
           {{"needs_all_ranks", false}});
    under(job, "fampi", {{"recovery", std::string("shrink")}});
    job.kill(2.5e-4, {3});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("state_difference") == 0.0);
    CHECK(seen.metric("ranks_respawned") == 0);
  }
}

TEST_CASE("without transactions a death ends a stated program") {
  Job job(4, quick_machine());
  stated(job, {"try", "compute 1e-3 s", "allreduce 8 B", "finish"}, 4);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.kill(1e-4, {2});
  CHECK(job.run().result.outcome == engine::Outcome::fatal_reported);
}

}  // namespace faultline::workloads
