// SPDX-License-Identifier: Apache-2.0

// A process that is declared dead, and will be ended for that, gives up. It ends alone, and the
// others go on.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "tests/engine/membership/erring.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

TEST_CASE("a process that the manager takes for dead ends alone when it gives up, others the job") {
  for (const scenario::EngineKind engine : engines())
    for (const bool fences : {false, true})
      for (const ActorId who : {0U, 1U, 2U}) {
        Job job(3);
        job.spec.platform.restart_delay_s = 4;
        err(job, {{5, 0, 1}}, GivenUpAt{7, who});
        talk(job, 58, RestartOn::same_node);
        if (fences) fence_after(job, 10);
        const Seen seen = job.run(engine);
        CAPTURE(engine_word(engine), fences, who);
        CHECK(seen.violations().empty());
        if (!fences || who != 1) {
          CHECK(seen.result.outcome == Outcome::fatal_reported);
          CHECK(seen.result.fatal_reason == "it cannot go on");
          continue;
        }
        CHECK(seen.result.outcome != Outcome::fatal_reported);
        CHECK(seen.result.fatal_reason.empty());
        CHECK(close(seen.times_s(1, "start"), {0, 11}, engine));
        CHECK(seen.times_s(1, "got 0").back() > 58);  // the others go on to the end
        CHECK(seen.metric("fenced_alive") == 0);
        CHECK(seen.metric("failed_ranks") == 0);
      }
}

TEST_CASE("of both sides of a cut, only that of the manager can give the job up") {
  for (const scenario::EngineKind engine : engines())
    for (const double heals_s : {30.0, kNever})
      for (const bool is_accused : {false, true})
        for (const ActorId who : {0U, 2U}) {
          Job job(3);
          std::vector<Report> reports{{5, 2, 0}};
          if (is_accused) reports.push_back({6, 0, 2});
          err(job, reports, GivenUpAt{7, who});
          talk(job, 58);
          fence_after(job, 10, scenario::FencingReach::connected);
          job.spec.partitions = {{.groups = {{0}, {2}}, .from_s = 2, .to_s = heals_s}};
          job.spec.stop.when = scenario::StopWhen::time;
          job.spec.stop.time_s = 70;
          const Seen seen = job.run(engine);
          CAPTURE(engine_word(engine), heals_s, is_accused, who);
          if (who == 0 || !is_accused) {
            CHECK(seen.result.outcome == Outcome::fatal_reported);
            continue;
          }
          CHECK(seen.result.outcome == Outcome::finished);
          CHECK(seen.times_s(1, "got 0").size() == 14);  // rank 0 lives to the end
          CHECK(seen.metric("fenced_alive") == 0);
          CHECK(seen.metric("failed_ranks") == 1);
        }
}

TEST_CASE(
    "what the manager hears at the end of a cut, it hears in the order in which it was said") {
  for (const scenario::EngineKind engine : engines())
    for (const double report_s : {5.0, 9.0}) {
      Job job(3);
      err(job, {{5, 1, 0}, {report_s, 2, 1}}, GivenUpAt{7, 1});  // by those behind the cut
      talk(job, 58);
      fence_after(job, 10, scenario::FencingReach::connected);
      job.spec.partitions = {{.groups = {{0}, {1, 2}}, .from_s = 2, .to_s = 30}};
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 70;
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), report_s);
      CHECK(seen.result.outcome == (report_s < 7 ? Outcome::finished : Outcome::fatal_reported));
    }
}

TEST_CASE("a process that starts on a node whose daemon will be ended gives nothing up either") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    job.spec.platform.restart_delay_s = 1;
    job.script(Family::workload, [&job](ActorId self) {
      enum Timer : std::uint64_t { kRestart, kGiveUp, kAlive };
      Handlers handlers;
      handlers.start = [=](ScriptContext& context) {
        if (self == 0) context.set_timer(kRestart, 8);
        if (context.incarnation() > 0)
          context.set_timer(kGiveUp, 3);
        else
          context.set_timer(kAlive, 50);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t timer) {
        if (timer == kRestart) context.restart(Incarnation{.actor = 2}, RestartOn::same_node);
        if (timer == kGiveUp) context.fatal("it cannot go on");
        if (timer == kAlive) job.note(context, "alive");
      };
      return handlers;
    });
    err(job, {{5, 4, 5}}, std::nullopt, Residence::daemons);
    fence_after(job, 40);
    job.kill(7, {2});
    const Seen seen = job.run(engine);
    CHECK(seen.result.fatal_reason.empty());
    CHECK(seen.times_s(0, "alive").size() == 1);
    CHECK(seen.times_s(1, "alive").size() == 1);
    CHECK(seen.metric("fenced_alive") == 1);  // rank 3
    CHECK(seen.metric("failed_ranks") == 2);
  }
}

TEST_CASE("in every order of steps, whoever is declared dead before it gives up ends alone") {
  for (const bool is_accused : {false, true}) {
    Job job(3);
    err(job, {{1, 0, 1}}, GivenUpAt{1, 1});
    talk(job, 3);
    fence_after(job, 10);
    StepwiseEngine engine(run_job(without_costs(job.spec), 1, 0));
    engine.begin();
    if (is_accused) take_timer(engine, 0);
    take_timer(engine, 1);
    CHECK(engine.is_over() != is_accused);
    CHECK(engine.state().actors[1].alive != is_accused);
    const std::vector<Choice>& agenda = engine.agenda();
    CHECK(std::none_of(agenda.begin(), agenda.end(),
                       [](const Choice& one) { return one.kind == EventKind::fence; }));
  }
}

}  // namespace faultline::engine
