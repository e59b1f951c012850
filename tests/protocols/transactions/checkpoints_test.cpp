// SPDX-License-Identifier: Apache-2.0

// Where the checkpoints of a world are kept, and when they are taken.

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "sim/core/checkpoint_interval.hpp"
#include "tests/faults/sources.hpp"
#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

/// TryBlocks of one iteration of 1 s and a sum each. A rank dies in the sixth.
void set_up_checkpoints(Job& job, const std::string& protocol, const OptionValues& options) {
  job.workload("try-blocks", {{"iterations", std::int64_t{10}},
                              {"compute_s", 1.0},
                              {"allreduces", std::int64_t{1}},
                              {"state_bytes", std::int64_t{1000}}});
  OptionValues values = options;
  if (protocol == "relaunch") {
    values["relaunch_s"] = 0.0;
  } else {
    values["request_timeout_s"] = 100.0;
    values["wait_timeout_s"] = 100.0;
    values["release"] = std::string("invite");
  }
  job.use(Family::transactions, protocol, values);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-3}});
  job.spec.platform.processes_per_node = 2;
  job.spec.platform.spare_nodes = 1;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.spec.stop.time_s = 1e4;
}

double right_digest() {
  Job job(6, quick_machine());
  set_up_checkpoints(job, "fampi", {});
  return job.run().metric("state_digest");
}

}  // namespace

TEST_CASE("whoever takes the place of the dead gets its data from where they were kept") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi", "relaunch"})
      for (const std::string checkpoint : {"local", "partner", "storage"}) {
        Job job(6, quick_machine());
        set_up_checkpoints(
            job, protocol,
            {{"checkpoint", checkpoint},
             {"checkpoint_iterations", std::int64_t{2}},
             {"spawn", std::string(checkpoint == "local" ? "same-node" : "spare-node")}});
        job.kill(5.5, {4});
        const Seen seen = job.run(engine);
        INFO(protocol << ", " << checkpoint);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("state_digest") == right_digest());
        // From 4 on, what was done until 5.5 is done again; in FA-MPI the sixth iteration, too,
        // that the others computed to its end.
        CHECK(seen.metric("redone_iterations") <= 2.0);
        CHECK(seen.metric("time_to_solution_s") >= 10.0 + 1.5);
        CHECK(seen.metric("time_to_solution_s") <= 10.0 + 2.1);
      }
}

TEST_CASE("a local checkpoint is lost with its node, or for a process that starts on another one") {
  for (const std::string protocol : {"fampi", "relaunch"})
    for (const bool node_fails : {false, true}) {
      Job job(6, quick_machine());
      set_up_checkpoints(
          job, protocol,
          {{"checkpoint", std::string("local")}, {"checkpoint_iterations", std::int64_t{1}}});
      if (node_fails)
        job.kill(5.5, {}, {2});
      else
        job.kill(5.5, {4});
      const Seen seen = job.run();
      CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
      CHECK(seen.result.fatal_reason == "a checkpoint is lost with its node");
    }
}

TEST_CASE("a local checkpoint takes as long as the ranks of a node together need to write it") {
  Job job(6, quick_machine());
  set_up_checkpoints(job, "fampi",
                     {{"checkpoint", std::string("local")},
                      {"checkpoint_iterations", std::int64_t{1}},
                      {"node_storage_bandwidth_Bps", 1e3}});
  CHECK(job.run().metric("checkpoint_time_s") == Approx(2 * 1000 / 1e3).epsilon(1e-9));
}

/// Two ranks on two nodes, a checkpoint with the partner after each of 5 TryBlocks of 1 s.
double checkpointed_run_s(const std::string& protocol, std::int64_t state_bytes,
                          scenario::EngineKind engine) {
  platform::Machine machine = quick_machine();
  machine.nic_bandwidth_Bps = machine.link_bandwidth_Bps = 1e10;
  Job job(2, machine);
  set_up_checkpoints(
      job, protocol,
      {{"checkpoint", std::string("partner")}, {"checkpoint_iterations", std::int64_t{1}}});
  job.workload("try-blocks", {{"iterations", std::int64_t{5}},
                              {"compute_s", 1.0},
                              {"allreduces", std::int64_t{1}},
                              {"state_bytes", state_bytes}});
  job.spec.platform.processes_per_node = 1;
  const Seen seen = job.run(engine);
  CHECK(seen.result.outcome == engine::Outcome::finished);
  return seen.metric("time_to_solution_s");
}

// Both ranks send at the same time, each to the other one.
TEST_CASE("checkpoints above 4 GiB take as long as their bytes need on the wire") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi"}) {
      const double without_s = checkpointed_run_s(protocol, 0, engine);
      for (const std::int64_t bytes : {std::int64_t{5000000000}, std::int64_t{100000000000}}) {
        INFO(engine_word(engine) << ", " << protocol << ", " << bytes);
        const double one_s = static_cast<double>(bytes) / 1e10;
        CHECK(checkpointed_run_s(protocol, bytes, engine) - without_s ==
              Approx(5 * one_s).epsilon(1e-4).margin(0));
      }
    }
}

TEST_CASE("by seconds, a checkpoint is taken when as many iterations have passed") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi", "relaunch"})
      for (const std::string checkpoint : {"local", "partner", "storage"}) {
        Job job(6, quick_machine());
        set_up_checkpoints(job, protocol,
                           {{"checkpoint", checkpoint}, {"checkpoint_interval_s", 3.1}});
        const Seen seen = job.run(engine);
        INFO(protocol << ", " << checkpoint);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        // After the first iteration, which shows how long one takes; then after 4, 7 and 10.
        CHECK(seen.metric("control_messages.committed") == 4 * 5);
      }
}

TEST_CASE("without an interval it is Daly's, of the mean time between faults and the cost") {
  const double mtbf_s = 8.0;
  Job job(6, quick_machine());
  faults::add_source(job, "poisson",
                     {{"mtbf_s", mtbf_s}, {"start_s", 1e6}, {"victims", std::string("ranks")}});
  set_up_checkpoints(
      job, "relaunch",
      {{"checkpoint", std::string("storage")}, {"storage_bandwidth_Bps", 6 * 1000 / 0.25}});
  const auto every = std::lround(daly_interval_s(0.25, mtbf_s));
  REQUIRE(every == 2);
  // After the first iteration, then after 3, 5, 7 and 9.
  CHECK(job.run().metric("control_messages.committed") == 5 * 5);
}

TEST_CASE("a world is told over a tree to as many, in fewer steps") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi", "relaunch"})
      for (const std::string over : {"star", "tree"}) {
        Job job(32, quick_machine());
        set_up_checkpoints(job, protocol,
                           {{"checkpoint", std::string("partner")},
                            {"checkpoint_iterations", std::int64_t{1}},
                            {"rebuild_over", over}});
        job.kill(5.5, {4});
        const Seen seen = job.run(engine);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("control_messages.world") == 31);
      }
}

}  // namespace faultline::transactions
