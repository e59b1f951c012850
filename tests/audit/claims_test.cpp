// SPDX-License-Identifier: Apache-2.0

// What the auditor finds in whole runs where what a component claims is not so: that its work is
// done, that it has to give up, that a process is dead.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/audit/misbehaviour.hpp"
#include "tests/support/job.hpp"

namespace faultline::audit {

using namespace test;

namespace {

constexpr MetricSpec kLeft{"left", Merge::last, ""};
constexpr MetricSpec kUnreported{"unreported", Merge::last, ""};

/// A workload that counts its own work: each rank computes 10 s, and `missing` is left undone.
void counting(Job& job, Registration& counts, double missing) {
  job.script(Family::workload, [missing](ActorId) {
    Handlers handlers;
    handlers.start = [](ScriptContext& context) { context.compute(10); };
    handlers.compute_done = [](ScriptContext& context, std::uint64_t) { context.finish(); };
    handlers.report = [missing](MetricTotals& totals) { totals.put(kLeft, missing); };
    return handlers;
  });
  scenario::ComponentChoice& workload =
      job.spec.components[static_cast<std::size_t>(Family::workload)];
  counts = *workload.registration;
  counts.metrics = {&kLeft, &kUnreported};
  counts.declare<WorkloadTraits>().end_checks = {{&kUnreported, "other"}, {&kLeft, "lost-work"}};
  workload.registration = &counts;
}

}  // namespace

TEST_CASE("lost work: a run that comes to its end must have done what its workload counts") {
  for (const scenario::EngineKind engine : engines())
    for (const double missing : {0.0, 3.0})
      for (const bool announces : {false, true}) {
        Job job(2);
        Registration counts;
        counting(job, counts, missing);
        if (announces) announce_at(job, 20);
        if (!announces) job.spec.stop.when = scenario::StopWhen::finished;
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ", missing " << missing << (announces ? ", announces" : ""));
        REQUIRE(seen.violations() == (missing > 0 ? Words{"lost-work"} : Words{}));
        CHECK((seen.result.outcome == engine::Outcome::violated) == (missing > 0));
        if (missing > 0)
          CHECK(first_detail(seen) == "the run has come to its end with left 3 instead of 0");
      }
}

TEST_CASE("lost work: what a run has not come to is not lost") {
  for (const scenario::EngineKind engine : engines()) {
    INFO(engine_word(engine));
    for (const scenario::StopWhen when :
         {scenario::StopWhen::time, scenario::StopWhen::announced}) {
      Job job(2);
      Registration counts;
      counting(job, counts, 3);
      job.spec.stop.when = when;
      job.spec.stop.time_s = 5;
      CHECK(job.run(engine).violations().empty());
    }
    Job dead(2);
    Registration counts;
    counting(dead, counts, 3);
    const Seen seen = dead.kill(5, {0, 1}).run(engine);
    CHECK(seen.result.outcome == engine::Outcome::all_failed);
    CHECK(seen.violations().empty());
  }
}

namespace {

/// Rank 1 gives up at 20 s, in the words of a component that declares when it may.
Seen gives_up(Family family, const MayGiveUp& rule, bool told, scenario::EngineKind engine) {
  Job job(3);
  if (family != Family::workload) one_message(job);
  job.script(family, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 1) context.set_timer(1, 20);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) { context.fatal("enough"); };
    return handlers;
  });
  scenario::ComponentChoice& choice = job.spec.components[static_cast<std::size_t>(family)];
  Registration declared = *choice.registration;
  if (family == Family::workload)
    declared.declare<WorkloadTraits>().may_give_up = rule;
  else
    declared.declare<TerminationTraits>().may_give_up = rule;
  choice.registration = &declared;
  if (told) job.use(Family::failure_detection, "oracle", {{"delay_s", 1.0}}).kill(5, {2});
  return job.run(engine);
}

}  // namespace

TEST_CASE("needless fatal: giving up needs a death, and the one that its declaration names") {
  const auto of_rank = [](ActorId rank) -> MayGiveUp {
    return [rank](const OptionValues&, const JobShape&, const std::vector<ActorId>& dead) {
      return std::count(dead.begin(), dead.end(), rank) > 0;
    };
  };
  for (const scenario::EngineKind engine : engines())
    for (const Family family : {Family::workload, Family::termination}) {
      INFO(engine_word(engine) << ", family " << static_cast<int>(family));
      const auto check_needless = [](const Seen& seen, const std::string& words) {
        CHECK(seen.result.outcome == engine::Outcome::violated);
        REQUIRE(seen.violations() == Words{"needless-fatal"});
        CHECK(seen.result.violations.front().actor == 1U);
        CHECK(seen.result.violations.front().time_s == Approx(20));
        CHECK(first_detail(seen).find(words) != std::string::npos);
      };
      check_needless(gives_up(family, {}, false, engine), "nobody has died: enough");
      check_needless(gives_up(family, of_rank(2), false, engine), "nobody has died: enough");
      check_needless(gives_up(family, of_rank(0), true, engine), "none of the deaths");
      for (const MayGiveUp& rule : {MayGiveUp(), of_rank(2)}) {
        const Seen seen = gives_up(family, rule, true, engine);
        CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
        CHECK(seen.violations().empty());
      }
    }
}

TEST_CASE("false report: a detector that promises accuracy declares a live rank dead") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [](ActorId) {
      return Handlers{.start = [](ScriptContext& context) { context.compute(20); }};
    });
    job.script(
        Family::failure_detection,
        [](ActorId self) {
          return Handlers{
              .start =
                  [self](ScriptContext& context) {
                    if (self == 1) context.set_timer(1, 5);
                  },
              .timer = [](ScriptContext& context, std::uint64_t) { context.report_failed(2); }};
        },
        DetectorTraits{.accurate = true});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::violated);
    REQUIRE(seen.violations() == Words{"false-report"});
    CHECK(seen.result.violations.front().actor == 1U);
    CHECK(seen.result.violations.front().time_s == Approx(5));
    CHECK(first_detail(seen).find("live actor 2") != std::string::npos);
  }
}

}  // namespace faultline::audit
