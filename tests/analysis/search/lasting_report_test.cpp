// SPDX-License-Identifier: Apache-2.0

// A false report that can be denied does not last: what is found, and what is none of that.

#include "analysis/search/lasting_report.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "analysis/search/judged_run.hpp"
#include "tests/support/job.hpp"
#include "tests/support/json_tree.hpp"

namespace faultline::search {

namespace {

constexpr double kBound_s = 100;  // that the test's detector states

/// What a test's detector does: rank 0 declares rank 1 dead at 5 s, and may take that back.
struct Course {
  std::optional<double> back_s = {};
  bool can_deny = true;
  bool ticks = false;  ///< rank 0 has a timer each second
};

/// Rank 1 stalls from 4 s to 7 s, so it is to be back at 107 s.
class ErringJob {
 public:
  explicit ErringJob(const Course& course) : job_(3, test::quick_machine()) {
    job_.script(Family::workload, [](ActorId) { return test::Handlers{}; });
    job_.script(Family::failure_detection,
                [course](ActorId self) { return handlers(course, self); },
                {.traits = traits(course)});
    job_.spec.components[index_of(Family::failure_detection)].options = {
        {"heartbeat_period_s", 1.0}, {"reconnect_period_s", 1.0}, {"push_pull_period_s", 1.0}};
    faults::FaultSpec stall;
    stall.time_s = 4.0;
    stall.ranks = {1};
    stall.stall_s = 3.0;
    job_.spec.faults.push_back(stall);
  }
  scenario::RunSpec& spec() { return job_.spec; }
  [[nodiscard]] std::string finding() const {
    scenario::Scenario scenario;
    scenario.points = {job_.spec};
    const auto found = against_lasting_reports(scenario);
    return found ? found->kind : "";
  }

 private:
  static DetectorTraits traits(const Course& course) {
    return {.takes_back = [course](const OptionValues&) { return course.can_deny; },
            .bound = [](const OptionValues&,
                        const DetectionCase&) { return DetectionBound{.within_s = kBound_s}; }};
  }
  static test::Handlers handlers(const Course& course, ActorId self) {
    enum Timer : std::uint64_t { kReport, kBack, kTick };
    test::Handlers handlers;
    if (self != 0) return handlers;
    handlers.start = [course](test::ScriptContext& context) {
      context.set_timer(kReport, 5);
      if (course.back_s) context.set_timer(kBack, *course.back_s);
      if (course.ticks) context.set_timer(kTick, 1);
    };
    handlers.timer = [](test::ScriptContext& context, std::uint64_t key) {
      if (key == kReport) context.report_failed({1, 0});
      if (key == kBack) context.take_back({1, 0});
      if (key == kTick) context.set_timer(kTick, 1);
    };
    return handlers;
  }

  test::Job job_;
};

std::string finding_of(const Course& course) { return ErringJob(course).finding(); }

const std::string kLasts = "a false report that lasts";

}  // namespace

TEST_CASE("a member that is taken for dead for longer than the bound is found") {
  CHECK(finding_of({}) == kLasts);
  CHECK(finding_of({.back_s = 108}) == kLasts);
}

TEST_CASE("a member that is taken for alive again within the bound is not found") {
  CHECK(finding_of({.back_s = 106}).empty());
  CHECK(finding_of({.back_s = 6}).empty());
}

TEST_CASE("a run that ends before the bound tells nothing") {
  ErringJob job({.ticks = true});
  CHECK(job.finding() == kLasts);
  job.spec().stop.events = 2;  // the judge allows thirty times as many
  CHECK(job.finding().empty());
}

TEST_CASE("a report lasts where nobody can deny it") {
  CHECK(finding_of({.can_deny = false}).empty());
  ErringJob fenced({});
  fenced.spec().platform.fencing.by = scenario::FencedBy::resource_manager;
  CHECK(fenced.finding().empty());
}

TEST_CASE("nobody is to be taken back where nothing disturbs the job, or what does never ends") {
  ErringJob peaceful({});
  peaceful.spec().faults.clear();
  CHECK(peaceful.finding().empty());
  ErringJob cut({});
  cut.spec().faults.clear();
  cut.spec().partitions.push_back({.of_ranks = true, .groups = {{0}, {1}}, .from_s = 4});
  CHECK(cut.finding().empty());
  cut.spec().partitions.front().to_s = 7;
  CHECK(cut.finding() == kLasts);
}

TEST_CASE("the members of a detector that never talk after a cut need not agree") {
  ErringJob silent({});
  silent.spec().components[index_of(Family::failure_detection)].options["reconnect_period_s"] =
      OptionValue();
  CHECK(silent.finding().empty());
}

TEST_CASE("the members of swim take back what they have said of a stalled rank and over a cut") {
  const auto judged_under = [](const std::string& faults) {
    return judged(
        test::tree(R"({"schema_version": 1, "platform": {"machine": "cori", "processes": 8},
    "workload": {"name": "stencil", "compute_s": 1, "iterations": 60}, "failure_detection":
    {"name": "swim", "lifeguard": false}, "stop": {"when": "time", "time_s": 300},
    "faults": {)" + faults +
                   "}}"),
        {});
  };
  for (const char* faults : {R"("at": [{"time_s": 5, "ranks": [3], "stall_s": 30}])",
                             R"("partition": {"nodes": [[0, 1, 2], [3, 4, 5, 6, 7]], "from_s": 5,
                                "to_s": 60, "messages": "wait"})"})
    CHECK_FALSE(judged_under(faults).finding);
}

}  // namespace faultline::search
