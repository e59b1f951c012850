// SPDX-License-Identifier: Apache-2.0

// Fast message logging whose lost objects recover on helpers.

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "protocols/message_logging/fast.hpp"
#include "tests/protocols/message_logging/helped_run.hpp"
#include "tests/protocols/message_logging/logging_mutants.hpp"
#include "tests/support/schedules.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

/// Each of 5 ranks hosts 4 objects, which are on a line; an iteration takes 4 ms. The checkpoints
/// are taken at the start and after each ten iterations.
void set_line(Job& job, std::int64_t helpers, const std::string& preset = "none") {
  job.workload("stencil", {{"preset", preset},
                           {"dimensions", std::int64_t{1}},
                           {"objects_per_process", std::int64_t{4}},
                           {"iterations", std::int64_t{40}},
                           {"checkpoint_iterations", std::int64_t{10}},
                           {"compute_s", 4e-3},
                           {"bytes", std::int64_t{100}},
                           {"object_bytes", std::int64_t{1000}}});
  job.spec.stop.when = scenario::StopWhen::finished;
  job.use(Family::message_logging, "fast", {{"helpers", helpers}});
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-4}});
}

/// Two of these objects lie on each rank, in a line that wraps around.
void set_ring(Job& job, std::int64_t iterations, std::int64_t checkpoint_iterations,
              double compute_s, std::int64_t object_bytes) {
  job.workload("stencil", {{"dimensions", std::int64_t{1}},
                           {"objects_per_process", std::int64_t{2}},
                           {"iterations", iterations},
                           {"checkpoint_iterations", checkpoint_iterations},
                           {"compute_s", compute_s},
                           {"bytes", std::int64_t{8}},
                           {"object_bytes", object_bytes}});
  job.spec.stop.when = scenario::StopWhen::finished;
  job.use(Family::message_logging, "fast", {{"helpers", std::int64_t{1}}});
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
}

void check_end(const Seen& seen) {
  CAPTURE(seen.result.fatal_reason);
  CHECK(seen.result.outcome == engine::Outcome::finished);
  CHECK(seen.violations().empty());
  CHECK(seen.metric("state_difference") == 0);
  CHECK(seen.metric("failed_ranks") == 0);
}

}  // namespace

TEST_CASE("the objects of a dead rank go to its helpers, and home at the next checkpoint") {
  for (const scenario::EngineKind engine : engines())
    for (const std::int64_t helpers : {0, 1, 2, 3, 4}) {
      Job job(5, quick_machine());
      set_line(job, helpers);
      job.kill(25e-3, {1});
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), helpers);
      check_end(seen);
      const double moved = helpers == 0 ? 0 : 4;
      for (const char* kind : {"object", "hosted", "homecoming"})
        CHECK(seen.metric(std::string("control_messages.") + kind) == moved);
    }
}

TEST_CASE("what an object sends again counts once, also if its home dies when it has come home") {
  const auto messages = [](const std::vector<double>& deaths_s) {
    Job job(5, quick_machine());
    set_line(job, 2);
    for (const double death_s : deaths_s) job.kill(death_s, {1});
    const Seen seen = job.run(scenario::EngineKind::loggp);
    if (!deaths_s.empty()) check_end(seen);
    return std::pair(seen.metric("object_messages"), seen.metric("remote_messages"));
  };
  const auto peaceful = messages({});
  for (int second = 1; second <= 60; ++second) {
    CAPTURE(second);
    CHECK(messages({25e-3, 25e-3 + 1e-3 * second}) == peaceful);
  }
}

// Rank 0 has sent much to the guests of rank 2. They have gone home when it dies, so that rank 2
// does not wait for that any more, nor for the images of the checkpoint.
TEST_CASE("a recovery does not wait for what comes again for guests that have gone home") {
  Job job(4, quick_machine());
  set_ring(job, 8, 4, 0.01, 20000000);
  job.spec.platform.restart_delay_s = 1e-3;
  job.spec.faults = {at_mark("iteration", 1, {1}), at_mark("checkpoint", 1, {0})};
  const Seen seen = job.run(scenario::EngineKind::loggp);
  check_end(seen);
  CHECK(seen.metric("rollback_recovery_time_max_s") < 0.2);
}

// The wave of rank 1 is cut by the death of rank 4, whose wave is agreed on for both.
TEST_CASE("a recovery is measured from the first of deaths that overlap") {
  Job job(6, quick_machine());
  job.workload("stencil", {{"dimensions", std::int64_t{1}},
                           {"iterations", std::int64_t{20}},
                           {"checkpoint_iterations", std::int64_t{10}},
                           {"compute_s", 0.1},
                           {"object_bytes", std::int64_t{1000}}});
  job.spec.stop.when = scenario::StopWhen::finished;
  job.spec.platform.restart_delay_s = 1.0;
  job.use(Family::message_logging, "fast");
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-4}});
  job.kill(0.95, {1});
  job.kill(1.85, {4});
  const Seen seen = job.run(scenario::EngineKind::loggp);
  check_end(seen);
  CHECK(seen.metric("rollback_recovery_time_max_s") > 1.9 + 0.8);
}

// The helper hears of the second restart from the resource manager, and asks for the checkpoint
// before it takes part in the agreement on that restart. What it sends home then must not count:
// home has not heard of these guests any more, and sends them out again.
TEST_CASE("a guest that sets out for a home that has died is not hosted in two places") {
  for (const scenario::Progress progress :
       {scenario::Progress::dedicated, scenario::Progress::shared, scenario::Progress::between})
    for (int moment = 0; moment < 100; ++moment) {
      Job job(2, quick_machine());
      set_ring(job, 2, 2, 3e-3, 1000);
      job.spec.platform.progress = progress;
      job.spec.platform.restart_delay_s = 1e-3;
      job.kill(1.2e-3, {1});
      job.kill(9e-3 + moment * 5e-5, {1});
      CAPTURE(progress, moment);
      check_end(job.run(scenario::EngineKind::loggp));
    }
}

// Six iterations of 4 ms are lost. One rank does them alone, or each of two or four a share: the
// helpers have nothing else to do, because all wait for the objects that were lost.
TEST_CASE("more helpers recover faster") {
  for (const scenario::EngineKind engine : engines()) {
    std::vector<double> recovery_s;
    for (const std::int64_t helpers : {0, 2, 4}) {
      Job job(5, quick_machine());
      set_line(job, helpers, "lulesh");
      job.kill(25e-3, {1});
      recovery_s.push_back(job.run(engine).metric("rollback_recovery_time_max_s"));
    }
    CAPTURE(engine_word(engine), recovery_s);
    CHECK(recovery_s[0] > 22e-3);
    CHECK(recovery_s[0] < 28e-3);
    CHECK(recovery_s[1] < 0.75 * recovery_s[0]);
    CHECK(recovery_s[2] < 0.75 * recovery_s[1]);
  }
}

// Helpers that host objects of others, the ranks where these are at home, and the keepers of their
// images, within one period and across checkpoints.
TEST_CASE("helpers, homes and keepers die one after the other") {
  for (const scenario::EngineKind engine : engines())
    for (const char* preset : {"none", "wave2d", "lulesh"})
      for (const std::int64_t helpers : {1, 2, 4})
        for (const std::vector<Rank>& victims : std::vector<std::vector<Rank>>{
                 {1, 2, 1, 2}, {1, 2, 3, 4}, {1, 3, 2, 3, 1}, {0, 1, 0, 4, 3}, {4, 0, 1, 2, 2}}) {
          Job job(5, quick_machine());
          set_line(job, helpers, preset);
          for (std::size_t i = 0; i < victims.size(); ++i)
            job.kill(12e-3 + 90e-3 * static_cast<double>(i), {victims[i]});
          const Seen seen = job.run(engine);
          CAPTURE(engine_word(engine), preset, helpers, victims);
          check_end(seen);
        }
}

// A helper dies when the objects that it has hosted are home again and the checkpoint is not
// committed. What they have sent there is no longer logged, and the third victim needs it.
TEST_CASE("a helper dies during the checkpoint that brings its guests home") {
  for (const scenario::EngineKind engine : engines())
    for (const Rank third : {0U, 1U, 3U, 4U}) {
      Job job(5, quick_machine());
      set_line(job, 2);
      job.kill(12e-3, {1});
      job.spec.faults.push_back(at_mark("checkpoint", 1, {2}));
      job.kill(60e-3, {third});
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), third);
      check_end(seen);
    }
}

TEST_CASE("helpers recover the objects of the dead in random runs") {
  for (const scenario::EngineKind engine : engines())
    CHECK(helped_counterexample(engine, 1, engine == scenario::EngineKind::loggp ? 3000 : 30) ==
          "");
}

// Three restart at about the same time after the last checkpoint is decided. Nobody would bring
// objects home from helpers any more.
TEST_CASE("after the last checkpoint objects recover at home") {
  const HelpedRun run{.seed = 12585,
                      .processes = 5,
                      .processes_per_node = 2,
                      .helpers = 3,
                      .objects = 7,
                      .preset = "wave2d",
                      .iterations = 2,
                      .compute_s = 1e-4,
                      .restart_delay_s = 1e-5,
                      .deaths = {{975, "", 0, 3}, {854, "", 0, 0}, {797, "", 0, 2}}};
  CHECK(broken_promise(run, scenario::EngineKind::loggp) == "");
}

// The objects that were lost get the result of a reduction again before their home has all
// contributions to it. Home is at the checkpoint only then.
TEST_CASE("a home whose objects are elsewhere has its reductions behind it at a checkpoint") {
  const HelpedRun run{.seed = 16185,
                      .processes = 4,
                      .helpers = 1,
                      .objects = 5,
                      .preset = "lulesh",
                      .iterations_per_checkpoint = 1,
                      .compute_s = 1e-5,
                      .random_costs = true,
                      .notice_spread_s = 1e-4,
                      .deaths = {{0, "checkpoint", 3, 1}}};
  CHECK(broken_promise(run, scenario::EngineKind::loggp) == "");
}

// ---- mistakes ---------------------------------------------------------------------------------

namespace {

/// Home does not log what it sends to its own objects elsewhere.
class LogsNothingToItself final : public MutantOf<LogsNothingToItself, Fast> {
 public:
  using MutantOf::MutantOf;

 private:
  void stamp(RecoveryContext& context, Message& message) override {
    if (message.to != self_) return Fast::stamp(context, message);
    time_.bookkeep(context);
    LoggingStamp stamp = program_.stamp();
    stamp.id = log_.identity_of(message);
    message.logging.put(stamp);
  }
};

/// Does not wait for its objects before a checkpoint.
class ChecksNobodyHome final : public MutantOf<ChecksNobodyHome, Fast> {
 public:
  using MutantOf::MutantOf;

 private:
  [[nodiscard]] bool is_ready() const override { return true; }
};

/// Sends nothing again for objects that a helper has lost.
class ForgetsGuests final : public MutantOf<ForgetsGuests, Fast> {
 public:
  using MutantOf::MutantOf;

 private:
  void on_agreed(RecoveryContext& context) override {
    const std::vector<MovedObject>& lost = program_.wave().agreement().lost;
    resent_.insert(resent_.end(), lost.begin(), lost.end());
    Fast::on_agreed(context);
  }
};

/// Takes in what still comes for objects that have come home.
class TakesInLateMessages final : public MutantOf<TakesInLateMessages, Fast> {
 public:
  using MutantOf::MutantOf;

 private:
  Admission admit(RecoveryContext& context, Message& message) override {
    const Admission as_usual = Fast::admit(context, message);
    if (as_usual != Admission::discard || program_.turn_away(context, message)) return as_usual;
    const Emigrant* own = emigrants_.find(message.to_object);
    const Immigrant* guest = immigrants_.find(message.to_object);
    const bool has_come_home = (own != nullptr && own->stage == Emigrant::Stage::back) ||
                               (guest != nullptr && guest->stage == Immigrant::Stage::gone);
    return has_come_home ? Admission::deliver : Admission::discard;
  }
};

/// Takes an object home that has been sent away again since it set out.
class TakesEveryHomecoming final : public MutantOf<TakesEveryHomecoming, Fast> {
 public:
  using MutantOf::MutantOf;
  void on_message(RecoveryContext& context, const Message& message) override {
    if (message.kind != kHomecoming) return Fast::on_message(context, message);
    Message later = message;
    auto words = message.payload.get<ObjectWords>();
    words.level = UINT64_MAX;
    later.payload.put(words);
    Fast::on_message(context, later);
  }
};

constexpr std::uint64_t kHelpedRuns = 20000;

/// What the search finds in it, in words.
template <class Mutant>
std::string found_in() {
  std::string found =
      helped_counterexample(scenario::EngineKind::loggp, 1, kHelpedRuns, &mistaken<Mutant>("fast"));
  UNSCOPED_INFO(found);
  return found;
}

/// What that of analysis/lemmas finds.
template <class Mutant>
std::string found_by_lemmas_in() {
  std::string found = found_in_mutant(subject_named(Family::message_logging, "fast helpers"),
                                      in_place_of(mistaken<Mutant>("fast")), kHelpedRuns);
  UNSCOPED_INFO(found);
  return found;
}

}  // namespace

TEST_CASE("the random search finds every mistake with helpers") {
  CHECK(found_in<LogsNothingToItself>() != "");
  CHECK(found_in<ChecksNobodyHome>() != "");
  CHECK(found_in<ForgetsGuests>() != "");
  CHECK(found_in<TakesInLateMessages>() != "");
  CHECK(found_by_lemmas_in<TakesEveryHomecoming>() != "");
}

// ---- all orders -------------------------------------------------------------------------------

TEST_CASE("helpers are exhausted with a death anywhere") {
  Job job(2);
  job.workload("stencil", {{"dimensions", std::int64_t{1}},
                           {"periodic", false},
                           {"iterations", std::int64_t{1}},
                           {"checkpoint_iterations", std::int64_t{1}},
                           {"compute_s", 0.0}});
  job.spec.stop.when = scenario::StopWhen::finished;
  job.use(Family::message_logging, "fast", {{"helpers", std::int64_t{1}}});
  job.use(Family::failure_detection, "oracle");
  const exploration::ExplorationResult result = exploration::explore(
      {.spec = exploration::explored_spec(job.spec), .faults = 1, .states = 3000000});
  CAPTURE(result.states, result.wall_s);
  for (const auto& [end, count] : result.ends) UNSCOPED_INFO(end << " " << count);
  if (result.refutation) UNSCOPED_INFO(result.refutation->violations.front().detail);
  CHECK(result.verdict == exploration::ExplorationResult::Verdict::exhausted);
  CHECK(!result.ends.contains("fatal-reported"));
}

}  // namespace faultline::message_logging
