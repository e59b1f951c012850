// The adoption protocols under random schedules of deaths: never premature, never hung, and given
// up exactly where their own condition says so.

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "analysis/lemmas/lemma_search.hpp"
#include "tests/support/job.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

void check_lemmas(const Subject& subject, std::uint64_t schedules) {
  for (const EngineKind engine : engines()) {
    // A hundredth of them on simgrid, each in a process of its own.
    const std::uint64_t runs = engine == EngineKind::loggp ? schedules : schedules / 100;
    for (std::uint64_t number = 1; number <= runs; ++number) {
      const FaultSchedule schedule = draw_schedule(number);
      const auto judged = [&] { return run_lemma(schedule, subject, engine).broken; };
      const std::string broken = engine == EngineKind::loggp ? judged() : in_child(judged);
      INFO(engine_word(engine) << " " << subject.name << ", schedule " << number);
      REQUIRE(broken == "");
    }
  }
}

}  // namespace

TEST_CASE("indep keeps the lemmas of section 5") { check_lemmas({"indep"}, 5000); }

TEST_CASE("rel-lazy keeps the lemmas of section 6") {
  check_lemmas({"rel-lazy"}, 5000);
  check_lemmas({"rel-lazy", {{"adopted_child_fails", std::string("fallback")}}}, 5000);
  check_lemmas({"rel-lazy", {{"exterior_signal", std::string("at-disengagement")}}}, 5000);
}

TEST_CASE("rel-eager keeps the lemmas of section 6") {
  check_lemmas({"rel-eager"}, 5000);
  check_lemmas({"rel-eager", {{"exterior_signal", std::string("at-disengagement")}}}, 5000);
}

TEST_CASE("the condition for giving up is met in some runs and not in others") {
  for (const char* name : {"indep", "rel-lazy", "rel-eager"}) {
    std::size_t given_up = 0;
    std::size_t survived = 0;
    for (std::uint64_t number = 1; number <= 500; ++number) {
      const LemmaRun run = run_lemma(draw_schedule(number), {name}, EngineKind::loggp);
      given_up += run.result.outcome == Outcome::fatal_reported ? 1 : 0;
      survived += run.struck && run.result.outcome == Outcome::terminated ? 1 : 0;
    }
    INFO(name << ": " << given_up << " given up, " << survived << " survived");
    CHECK(given_up > 10);
    CHECK(survived > 100);
  }
}

TEST_CASE("wide schedules differ in everything that they may differ in") {
  std::set<std::string> seen;
  std::uint32_t most_processes = 0;
  std::size_t most_faults = 0;
  for (std::uint64_t number = 10; number <= 2000; number += 10) {
    const FaultSchedule schedule = draw_schedule(number);
    CHECK((schedule.processes >= 9 && schedule.processes <= 64));
    most_processes = std::max(most_processes, schedule.processes);
    seen.insert(schedule.workload);
    seen.insert("progress " + std::to_string(static_cast<int>(schedule.progress)));
    seen.insert("cores " + std::to_string(schedule.worker_cores));
    if (schedule.processes_per_node > 4) seen.insert("full nodes");
    if (schedule.to_itself > 0) seen.insert("messages to oneself");
    if (schedule.notice_s == 0) seen.insert("notice at once");
    std::size_t faults = 0;
    for (const FaultSpec& fault : schedule.faults) {
      faults += fault.ranks.size() + fault.nodes.size();
      if (fault.time_s == 0.0) seen.insert("at the start");
      if (fault.event) seen.insert("at an event");
      if (fault.mark) seen.insert("at a mark");
      if (!fault.nodes.empty()) seen.insert("of a node");
      for (const FaultSpec& other : schedule.faults)
        if (&other != &fault && strike_together(fault, other)) seen.insert("together");
    }
    most_faults = std::max(most_faults, faults);
  }
  CHECK(seen.size() == 7 + 3 + 2 + 3 + 5);
  CHECK(most_processes > 56);
  CHECK(most_faults > 10);
}

TEST_CASE("wide schedules strike in recoveries, after all work, and between phases") {
  std::set<std::string> seen;
  for (std::uint64_t number = 10; number <= 3000; number += 10) {
    const FaultSchedule schedule = draw_schedule(number);
    const LemmaRun run = run_lemma(schedule, {"rel-eager"}, EngineKind::loggp);
    const auto& metrics = run.result.metrics.values();
    const auto metric = [&](const char* name) {
      const auto found = metrics.find(name);
      return found == metrics.end() ? 0.0 : found->second.value_or(0.0);
    };
    if (run.result.outcome != Outcome::terminated) continue;
    if (metric("adoptions") > 0 && metric("faults_struck") > 2) seen.insert("recoveries");
    if (metric("phases") > 1) seen.insert("a phase for lost tasks");
    if (metric("phases") > 2) seen.insert("two phases for lost tasks");
    if (metric("detection_latency_s") > schedule.notice_s / 2 && schedule.notice_s > 1e-3)
      seen.insert("notices after the end");
    if (metric("failed_ranks") > 10) seen.insert("many dead");
  }
  CHECK(seen.size() == 5);
}

TEST_CASE("every kind of fault can be made simpler") {
  FaultSchedule schedule;
  schedule.processes = 12;
  schedule.processes_per_node = 4;
  schedule.progress = Progress::between;
  schedule.worker_cores = 2;
  schedule.to_itself = 3;
  schedule.notice_s = 1;
  schedule.faults.resize(2);
  schedule.faults[0].mark = MarkSpec{"step", 3};
  schedule.faults[0].nodes = {1, 2};
  schedule.faults[1].event = 7;
  schedule.faults[1].ranks = {5};
  const Judge never_less = [](const FaultSchedule& simpler) {
    return simpler.faults.empty() ? std::string() : std::string("broken");
  };
  const FaultSchedule simplest = shrink({schedule, "broken"}, never_less, 1).schedule;
  REQUIRE(simplest.faults.size() == 1);
  CHECK(simplest.faults[0].time_s == 0.0);
  CHECK(simplest.faults[0].nodes.empty());
  CHECK(simplest.faults[0].ranks.size() == 1);
  CHECK(simplest.processes_per_node == 1);
  CHECK(simplest.progress == Progress::dedicated);
  CHECK(simplest.worker_cores == 1);
  CHECK(simplest.to_itself == 0);
  CHECK(simplest.notice_s <= 1e-4);
  CHECK(victims_of(schedule, schedule.faults[0]) == std::vector<Rank>{4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("a schedule that is written as a scenario makes the same run") {
  const Subject subject{"rel-lazy", {{"adopted_child_fails", std::string("fallback")}}};
  for (std::uint64_t i = 1; i <= 80; ++i) {
    const std::uint64_t number = i <= 40 ? i : 10 * i;
    const FaultSchedule schedule = draw_schedule(number);
    const TemporaryDirectory directory;
    const ReplayFiles files =
        replay_files(schedule, subject, EngineKind::loggp, "replay", "./machine.json");
    static_cast<void>(directory.write("machine.json", files.machine));
    const Scenario scenario =
        load_scenario(directory.write("scenario.json", files.scenario).string());
    const RunResult again =
        run_simulation(scenario.points.front(), scenario.engine, scenario.seed, 0);
    const RunResult first = run_lemma(schedule, subject, EngineKind::loggp).result;
    INFO("schedule " << number);
    CHECK(again.outcome == first.outcome);
    CHECK(again.events == first.events);
    CHECK(again.metrics.values() == first.metrics.values());
  }
}
