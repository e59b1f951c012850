// SPDX-License-Identifier: Apache-2.0

// What protocols of message logging count, and what they spend, by hand.

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

/// A row of four objects, two on each of two ranks: 0-1 | 2-3. In an iteration each rank takes in
/// two messages of its own and one of the other's. A computation takes longer than any message.
void set_row(Job& job, const std::string& protocol, const OptionValues& costs) {
  job.workload("stencil", {{"dimensions", std::int64_t{1}},
                           {"periodic", false},
                           {"objects_per_process", std::int64_t{2}},
                           {"iterations", std::int64_t{3}},
                           {"bytes", std::int64_t{100}},
                           {"compute_s", 2000.0}});
  job.spec.stop.when = scenario::StopWhen::finished;
  job.use(Family::message_logging, protocol, costs);
}

/// A ring of ranks, with a checkpoint at the start and one at the end.
void set_ring(Job& job, const std::string& protocol, std::int64_t iterations, double delay_s,
              const OptionValues& more) {
  OptionValues options{{"dimensions", std::int64_t{1}},
                       {"iterations", iterations},
                       {"checkpoint_iterations", iterations}};
  for (const auto& [name, value] : more) options[name] = value;
  job.workload("stencil", options);
  job.spec.stop.when = scenario::StopWhen::finished;
  job.use(Family::message_logging, protocol);
  job.use(Family::failure_detection, "oracle", {{"delay_s", delay_s}});
}

}  // namespace

// The message to the other rank leaves when the second object has computed. In the second iteration
// four determinants have not been stored: those of the first three messages, and of the one that
// the first object has sent when it had computed. In the third iteration three more have been made.
TEST_CASE("determinants are counted by process and iteration") {
  for (const scenario::EngineKind engine : engines())
    for (const char* transport : {"companion", "piggyback"}) {
      Job job(2);
      set_row(job, "causal", {{"transport", transport}});
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), transport);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.metric("remote_messages") == 1);
      CHECK(seen.metric("determinants_generated") == 3);
      CHECK(seen.metric("determinants_piggybacked") == Approx(7.0 / 3));
      CHECK(seen.metric("determinants_per_message") == Approx(7.0 / 3));
    }
}

// In three iterations: nine determinants, seven of them with messages, three messages of 100 bytes
// in the log, and nine messages sent and nine delivered.
TEST_CASE("the time that logging takes is that of its parts") {
  const OptionValues of_a_log{
      {"log_message_s", 2.0}, {"log_byte_s", 0.01}, {"bookkeeping_s", 0.125}};
  OptionValues of_determinants = of_a_log;
  of_determinants["determinant_s"] = 1.0;
  of_determinants["piggyback_s"] = 0.5;
  constexpr double kLog_s = 3 * (2 + 100 * 0.01);
  constexpr double kBookkeeping_s = 18 * 0.125;
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    Job causal(2);
    set_row(causal, "causal", of_determinants);
    const Seen under_causal = causal.run(engine);
    constexpr double kAll_s = 9 * 1 + 7 * 0.5 + kLog_s + kBookkeeping_s;
    CHECK(under_causal.metric("logging_cost_s") == Approx(kAll_s / 3));
    CHECK(under_causal.metric("logging_share_determinants") == Approx(9 / kAll_s));
    CHECK(under_causal.metric("logging_share_piggybacking") == Approx(3.5 / kAll_s));
    CHECK(under_causal.metric("logging_share_log") == Approx(kLog_s / kAll_s));
    CHECK(under_causal.metric("logging_share_bookkeeping") == Approx(kBookkeeping_s / kAll_s));
    Job fast(2);
    set_row(fast, "fast", of_a_log);
    const Seen under_fast = fast.run(engine);
    CHECK(under_fast.metric("logging_cost_s") == Approx((kLog_s + kBookkeeping_s) / 3));
    CHECK(under_fast.metric("logging_share_determinants") == 0);
    CHECK(under_fast.metric("logging_share_log") == Approx(kLog_s / (kLog_s + kBookkeeping_s)));
  }
}

// All nine messages that a rank sends, and the nine that come, precede the end of its last
// computation on the same worker.
TEST_CASE("what logging takes, a worker that handles messages cannot compute") {
  const auto time_s = [](double bookkeeping_s, scenario::EngineKind engine) {
    Job job(2);
    job.spec.platform.progress = scenario::Progress::shared;
    set_row(job, "fast",
            {{"bookkeeping_s", bookkeeping_s}, {"log_message_s", 0.0}, {"log_byte_s", 0.0}});
    return job.run(engine).metric("time_to_solution_s");
  };
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    CHECK(time_s(1.0, engine) - time_s(0.0, engine) == Approx(18));
  }
}

TEST_CASE("a recovery takes time also when nothing was lost, and none takes no time but null") {
  for (const std::string protocol :
       {"checkpoint-restart", "causal", "pessimistic", "send-deterministic", "fast"})
    for (const scenario::EngineKind engine : engines()) {
      CAPTURE(protocol, engine_word(engine));
      Job job(4);
      set_ring(job, protocol, 6, 1.0, {{"checkpoint_iterations", std::int64_t{3}}});
      const Seen peaceful = job.run(engine);
      REQUIRE(peaceful.result.metrics.values().at("rollback_recovery_time_max_s") == std::nullopt);
      job.spec.faults = {at_mark("checkpoint", 0, {1})};
      const Seen seen = job.run(engine);
      REQUIRE(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.metric("rollback_recovery_time_max_s") > 1.0);
    }
}

TEST_CASE("checkpoint-restart counts a recovery from the first of deaths that overlap") {
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    const auto recovery_s = [engine](const std::vector<double>& deaths_s) {
      Job job(4, quick_machine());
      set_ring(job, "checkpoint-restart", 20, 1e-5, {{"compute_s", 0.01}});
      Rank dies = 1;
      for (const double death_s : deaths_s) job.kill(death_s, {dies++});
      return job.run(engine).metric("rollback_recovery_time_max_s");
    };
    const double one_s = recovery_s({0.055});
    CHECK(one_s == Approx(0.055).epsilon(0.2));
    CHECK(recovery_s({0.055, 0.1}) == Approx(0.045 + one_s).epsilon(0.2));
  }
}

TEST_CASE("a recovery ends although a partner dies before the end of its log comes") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Job job(4, quick_machine());
    job.spec.platform.ordering = scenario::Ordering::unordered;
    job.spec.platform.unordered_delay_s = 1e-3;
    set_ring(
        job, "causal", 30, 1e-5,
        {{"compute_s", 0.01}, {"bytes", std::int64_t{64}}, {"object_bytes", std::int64_t{64}}});
    job.kill(0.0072, {1});
    job.kill(0.0072 + 5e-5 * static_cast<double>(seed), {2});
    const Seen seen = job.run(scenario::EngineKind::loggp, seed);
    if (seen.result.outcome == engine::Outcome::fatal_reported) continue;
    CAPTURE(seed);
    REQUIRE(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("rollback_recovery_time_max_s") < 0.1);
    CHECK(seen.metric("determinants_generated") > 1.8);
  }
}

TEST_CASE("a death before anything was delivered is recovered from when the rank is up again") {
  const auto run = [](const std::string& protocol) {
    Job job(4, quick_machine());
    set_ring(job, protocol, 2, 1e-3, {{"object_bytes", std::int64_t{300000000}}});
    job.spec.faults = {at_mark("checkpoint", 0, {1})};
    return job.run(scenario::EngineKind::loggp);
  };
  // The restart is the same under all, and the checkpoint that follows is no part of it.
  const double restart_s = run("checkpoint-restart").metric("rollback_recovery_time_max_s");
  for (const std::string protocol : {"causal", "pessimistic", "send-deterministic", "fast"}) {
    CAPTURE(protocol);
    CHECK(run(protocol).metric("rollback_recovery_time_max_s") == Approx(restart_s).epsilon(0.01));
  }
}

TEST_CASE("objects of a rank that waits for its restart have sent nothing again") {
  for (const std::string protocol : {"checkpoint-restart", "causal"}) {
    const auto messages = [&](bool dies) {
      Job job(2, quick_machine());
      set_ring(job, protocol, 20, 1e-5,
               {{"objects_per_process", std::int64_t{2}}, {"compute_s", 0.01}});
      job.spec.platform.restart_delay_s = 1e-3;
      job.spec.stop = {.when = scenario::StopWhen::time, .time_s = 0.1061};
      if (dies) job.kill(0.105, {1});
      const Seen seen = job.run(scenario::EngineKind::loggp);
      return seen.metric("object_messages") * seen.metric("iterations_done");
    };
    CAPTURE(protocol);
    CHECK(messages(true) <= messages(false));
  }
}

TEST_CASE("a message that waits for a companion costs its bookkeeping once") {
  const auto cost_s = [](scenario::Ordering ordering) {
    Job job(27, quick_machine());
    job.spec.platform.ordering = ordering;
    job.spec.platform.unordered_delay_s = 1e-3;
    job.workload("stencil", {{"preset", std::string("jacobi3d")},
                             {"iterations", std::int64_t{10}},
                             {"compute_s", 0.001}});
    job.spec.stop.when = scenario::StopWhen::finished;
    job.use(Family::message_logging, "causal", {{"bookkeeping_s", 1e-6}});
    const Seen seen = job.run(scenario::EngineKind::loggp);
    return seen.metric("logging_cost_s") * seen.metric("logging_share_bookkeeping");
  };
  CHECK(cost_s(scenario::Ordering::fifo) == Approx(1.2e-5));
  CHECK(cost_s(scenario::Ordering::unordered) == Approx(1.2e-5));
}

TEST_CASE("a rank that starts anew counts its iterations and messages once") {
  for (const std::string protocol : {"send-deterministic", "fast", "causal"}) {
    const auto run = [&](bool dies) {
      Job job(2, quick_machine());
      set_ring(job, protocol, 6, 1e-5, {{"compute_s", 0.01}});
      if (dies) job.spec.faults = {at_mark("iteration", 0, {0})};
      return job.run(scenario::EngineKind::loggp);
    };
    const Seen peaceful = run(false);
    const Seen seen = run(true);
    CAPTURE(protocol);
    REQUIRE(seen.result.outcome == engine::Outcome::finished);
    for (const char* metric : {"iterations_done", "object_messages", "remote_messages"})
      CHECK(seen.metric(metric) == peaceful.metric(metric));
  }
}

// Rank 2 dies in its fifth iteration, and does again what it has done, while its neighbours wait.
TEST_CASE("replayed deliveries and messages are not counted again") {
  for (const std::string protocol : {"causal", "pessimistic"}) {
    const auto run = [&](bool dies) {
      Job job(4);
      set_ring(job, protocol, 6, 50.0,
               {{"compute_s", 1000.0}, {"object_bytes", std::int64_t{1000}}});
      if (dies) job.spec.faults = {at_mark("iteration", 4, {2})};
      return job.run(scenario::EngineKind::loggp);
    };
    const Seen peaceful = run(false);
    const Seen recovered = run(true);
    CAPTURE(protocol);
    REQUIRE(recovered.result.outcome == engine::Outcome::finished);
    CHECK(recovered.metric("rollback_recovery_time_max_s") > 3000);
    CHECK(peaceful.metric("determinants_generated") == 2);
    CHECK(recovered.metric("determinants_generated") == 2);
    CHECK(recovered.metric("remote_messages") == 2);
    CHECK(recovered.metric("determinants_piggybacked") <=
          peaceful.metric("determinants_piggybacked"));
  }
}

// The rank comes back with the image of its end, and finishes again.
TEST_CASE("a rank that dies after its end counts its iterations once") {
  for (const std::string protocol : {"causal", "fast", "send-deterministic"}) {
    const auto run = [&](bool dies) {
      Job job(4);
      set_ring(job, protocol, 6, 50.0,
               {{"compute_s", 1000.0}, {"object_bytes", std::int64_t{1000}}});
      job.spec.stop = {.when = scenario::StopWhen::time, .time_s = 50000};
      if (dies) job.kill(30000, {2});
      return job.run(scenario::EngineKind::loggp);
    };
    const Seen peaceful = run(false);
    const Seen recovered = run(true);
    CAPTURE(protocol);
    CHECK(peaceful.metric("time_to_solution_s") < 30000);
    CHECK(recovered.metric("time_to_solution_s") > 30000);
    CHECK(recovered.metric("logging_cost_s") >= peaceful.metric("logging_cost_s"));
    if (protocol == "causal") CHECK(recovered.metric("determinants_generated") == 2);
  }
}

}  // namespace faultline::message_logging
