// SPDX-License-Identifier: Apache-2.0

// Counts by hand, series of deaths, and the shipped stencils, under every protocol of message
// logging.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/protocols/message_logging/logging_run.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

const std::vector<std::string>& protocols() {
  static const std::vector<std::string> names{"checkpoint-restart", "causal", "pessimistic",
                                              "send-deterministic", "fast"};
  return names;
}

bool takes_any_order(const std::string& protocol) {
  return !find_registration(Family::message_logging, protocol)
              ->as<RecoveryTraits>()
              .needs_order_free;
}

void exchange_under(Job& job, const std::string& protocol, Exchange exchange) {
  exchange.ordered = takes_any_order(protocol);
  use_exchange(job, exchange, true);
  use_logging(job, protocol, {{"image_bytes", 1000}});
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-4}});
}

}  // namespace

// Three checkpoints: at the start, and after each pair of iterations but the last.
TEST_CASE("a checkpoint takes six messages for each rank but the root") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& protocol : protocols()) {
      Job job(5, quick_machine());
      exchange_under(job, protocol, {.iterations = 6});
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), protocol);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      for (const char* kind : {"ready", "take", "stored", "commit"})
        CHECK(seen.metric(std::string("control_messages.") + kind) == 3 * 4);
      for (const char* kind : {"image", "image-stored"})
        CHECK(seen.metric(std::string("control_messages.") + kind) == 3 * 5);
      CHECK(seen.metric("control_messages.restarted") == 0);
      CHECK(seen.metric("checkpoint_time_s") > 0);
      CHECK(seen.result.metrics.values().at("rollback_recovery_time_max_s") == std::nullopt);
    }
}

TEST_CASE("a restart is told down a tree, reported up and agreed on, and its image comes") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& protocol : protocols()) {
      Job job(5, quick_machine());
      exchange_under(job, protocol, {.iterations = 6, .compute_s = 1e-3});
      job.spec.platform.restart_delay_s = 1e-3;
      job.kill(4.5e-3, {2});
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), protocol);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      for (const char* kind : {"restarted", "reported", "agreed"})
        CHECK(seen.metric(std::string("control_messages.") + kind) == 4);
      CHECK(seen.metric("control_messages.your-image") == 1);
      CHECK(seen.metric("failed_ranks") == 0);
      CHECK(seen.metric("rollback_recovery_time_max_s") > 1e-3);
    }
}

// The program draws nothing and depends on no order, so it must end as it does without a death.
TEST_CASE("without a checkpoint, a death takes the dead back to the start of the program") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& protocol : protocols()) {
      const auto seen_with = [&](std::uint64_t event) {
        Job job(4, quick_machine());
        exchange_under(job, protocol, {.iterations = 5, .iterations_per_checkpoint = 0});
        use_exchange(job, {.iterations = 5, .iterations_per_checkpoint = 0, .ordered = false},
                     true);
        if (event > 0) {
          faults::FaultSpec fault;
          fault.event = event;
          fault.ranks = {2};
          job.spec.faults.push_back(fault);
        }
        return job.run(engine);
      };
      const Seen calm = seen_with(0);
      CHECK(calm.metric("control_messages.ready") == 0);
      const std::uint64_t step = engine == scenario::EngineKind::loggp ? 1 : 10;
      for (std::uint64_t event = 1; event < calm.result.events; event += step) {
        const Seen seen = seen_with(event);
        CAPTURE(engine_word(engine), protocol, event, seen.result.fatal_reason);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("control_messages.your-image") == 0);
        for (Rank rank = 0; rank < 4; ++rank)
          CHECK(seen.values(rank, "end").back() == calm.values(rank, "end").back());
      }
    }
}

// Each rank dies when the recovery before it is over; some die twice in a row, and so do keepers of
// images.
TEST_CASE("any series of deaths is survived") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& protocol : protocols())
      for (const scenario::Ordering ordering :
           {scenario::Ordering::fifo, scenario::Ordering::unordered}) {
        if (protocol == "send-deterministic" && ordering == scenario::Ordering::unordered) continue;
        Job job(4, quick_machine());
        job.spec.platform.ordering = ordering;
        exchange_under(job, protocol,
                       {.iterations = 250, .iterations_per_checkpoint = 20, .compute_s = 1e-3});
        const std::vector<Rank> victims{0, 1, 1, 2, 3, 0, 0, 2};
        for (std::size_t i = 0; i < victims.size(); ++i)
          job.kill(5e-3 + 25e-3 * static_cast<double>(i), {victims[i]});
        const Seen seen = job.run(engine);
        CAPTURE(engine_word(engine), protocol, ordering, seen.result.fatal_reason);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("faults_struck") == 8);
        CHECK(seen.metric("failed_ranks") == 0);
      }
}

TEST_CASE("a node's ranks go on on a spare node, and without one the protocol gives up") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t spare_nodes : {0U, 1U}) {
      Job job(4, quick_machine());
      job.spec.platform.processes_per_node = 2;
      job.spec.platform.spare_nodes = spare_nodes;
      exchange_under(job, "checkpoint-restart", {.iterations = 6, .compute_s = 1e-3});
      job.kill(4.5e-3, {}, {1});
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), spare_nodes, seen.result.fatal_reason);
      CHECK(seen.result.outcome ==
            (spare_nodes == 0 ? engine::Outcome::fatal_reported : engine::Outcome::finished));
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("a node's ranks go on there when it is repaired, unless nobody waits") {
  for (const scenario::EngineKind engine : engines())
    for (const auto no_spare : {scenario::WhenNoSpare::wait, scenario::WhenNoSpare::give_up}) {
      Job job(4, quick_machine());
      job.spec.platform.processes_per_node = 2;
      job.spec.platform.when_no_spare = no_spare;
      exchange_under(job, "checkpoint-restart", {.iterations = 6, .compute_s = 1e-3});
      faults::FaultSpec fault;
      fault.time_s = 4.5e-3;
      fault.nodes = {1};
      fault.repair_s = 2;
      job.spec.faults = {fault};
      const Seen seen = job.run(engine);
      const bool waits = no_spare == scenario::WhenNoSpare::wait;
      CAPTURE(engine_word(engine), waits, seen.result.fatal_reason);
      CHECK(seen.result.outcome ==
            (waits ? engine::Outcome::finished : engine::Outcome::fatal_reported));
      CHECK(seen.violations().empty());
      CHECK((seen.metric("end_time_s") > 2) == waits);
      if (waits) CHECK(seen.metric("rollback_recovery_time_max_s") > 1.9);
      if (waits) CHECK(seen.metric("failed_ranks") == 0);
    }
}

TEST_CASE(
    "a protocol that brings back one rank at a time says so when a node with several has failed") {
  using Catch::Matchers::Contains;
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"causal", "pessimistic", "send-deterministic"})
      for (const bool whole_node : {true, false}) {
        Job job(6, quick_machine());
        job.spec.platform.processes_per_node = 2;
        job.spec.platform.spare_nodes = 1;
        exchange_under(job, protocol, {.iterations = 6, .compute_s = 1e-3});
        if (whole_node)
          job.kill(4.5e-3, {}, {1});
        else
          job.kill(4.5e-3, {1, 5});
        const Seen seen = job.run(engine);
        CAPTURE(engine_word(engine), protocol, whole_node);
        CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
        CHECK(seen.violations().empty());
        CHECK_THAT(seen.result.fatal_reason, Contains("brings back one rank at a time"));
        if (whole_node)
          CHECK_THAT(seen.result.fatal_reason, Contains("a node that fails with several"));
        else
          CHECK_THAT(seen.result.fatal_reason, !Contains("node"));
      }
}

TEST_CASE("nothing goes on when a rank and the keeper of its image have died") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& protocol : protocols()) {
      Job job(4, quick_machine());
      exchange_under(job, protocol, {.iterations = 6, .compute_s = 1e-3});
      job.kill(4.5e-3, {1, 2});
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), protocol);
      CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
      CHECK(seen.violations().empty());
    }
}

// In a replay all messages are there at once, so the computations of a rank's objects end in
// another order than before.
TEST_CASE("stencils of objects end in the right states, whoever dies and when") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& protocol : protocols())
      for (const char* preset : {"none", "wave2d", "jacobi3d", "lulesh"})
        for (std::uint64_t death = 0; death < sample_of(20, engine); ++death) {
          Job job(8, quick_machine());
          job.workload("stencil", {{"preset", std::string(preset)},
                                   {"objects_per_process", std::int64_t{4}},
                                   {"iterations", std::int64_t{7}},
                                   {"compute_s", 1e-4},
                                   {"object_bytes", std::int64_t{1000}},
                                   {"checkpoint_iterations", std::int64_t{3}}});
          job.spec.stop.when = scenario::StopWhen::finished;
          use_logging(job, protocol);
          job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
          const double end_s = job.run(engine).metric("end_time_s");
          job.kill(end_s * (static_cast<double>(death) + 0.5) / 20.0,
                   {static_cast<Rank>(death * 3 % 8)});
          const Seen seen = job.run(engine, 1 + death);
          CAPTURE(engine_word(engine), protocol, preset, death, seen.result.fatal_reason);
          CHECK(seen.result.outcome == engine::Outcome::finished);
          CHECK(seen.violations().empty());
          CHECK(seen.metric("failed_ranks") == 0);
        }
}

namespace {

/// A stencil whose state depends on the order of messages, with a death after that many steps of
/// 10 us.
void set_ordered_stencil(Job& job, const std::string& protocol, std::int64_t objects,
                         std::uint64_t death) {
  job.workload("ordered-stencil", {{"objects_per_process", objects},
                                   {"iterations", std::int64_t{6}},
                                   {"compute_s", 1e-5},
                                   {"object_bytes", std::int64_t{1000}},
                                   {"checkpoint_iterations", std::int64_t{4}}});
  job.spec.stop.when = scenario::StopWhen::finished;
  use_logging(job, protocol);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.kill(1e-5 * static_cast<double>(1 + death), {static_cast<Rank>(death * 5 % 6)});
}

/// Runs it, and checks that it ends as it can without the death.
void check_ordered_stencil(const std::string& protocol, std::int64_t objects, std::uint64_t death,
                           scenario::EngineKind engine) {
  Job job(6, quick_machine());
  job.spec.platform.ordering =
      death % 2 == 0 ? scenario::Ordering::fifo : scenario::Ordering::unordered;
  set_ordered_stencil(job, protocol, objects, death);
  const Seen seen = job.run(engine, 1 + death);
  CAPTURE(engine_word(engine), protocol, objects, death, seen.result.fatal_reason);
  CHECK(seen.result.outcome == engine::Outcome::finished);
  CHECK(seen.violations().empty());
}

}  // namespace

TEST_CASE("a stencil whose state depends on the order of messages keeps its promises") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"checkpoint-restart", "causal", "pessimistic"})
      for (std::uint64_t death = 0; death < sample_of(40, engine); ++death)
        check_ordered_stencil(protocol, 3, death, engine);
}

// A rank dies when some ranks have committed a checkpoint and others have not: these still know
// determinants from before it.
TEST_CASE("a replay does not follow determinants from before the checkpoint that is valid") {
  check_ordered_stencil("causal", 1, 26, scenario::EngineKind::loggp);
}

TEST_CASE("without determinants, a program that depends on the order of messages goes wrong") {
  for (const std::string protocol : {"fast", "send-deterministic"}) {
    bool wrong = false;
    for (std::uint64_t death = 0; death < 200 && !wrong; ++death) {
      Job job(6, quick_machine());
      set_ordered_stencil(job, protocol, 3, death);
      wrong = job.run(scenario::EngineKind::loggp, 1 + death).result.outcome ==
              engine::Outcome::wrong_state;
    }
    CAPTURE(protocol);
    CHECK(wrong);
  }
}

}  // namespace faultline::message_logging
