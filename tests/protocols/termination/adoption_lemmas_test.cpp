// The adoption protocols under random schedules of deaths: never premature, never hung, and given
// up exactly where their own condition says so.

#include <catch2/catch.hpp>

#include "analysis/lemma_search.hpp"
#include "tests/analysis/temporary_directory.hpp"
#include "tests/support/job.hpp"

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

TEST_CASE("only failures of several processes can be left unjudged, and few are") {
  std::size_t not_judged = 0;
  for (std::uint64_t number = 1; number <= 500; ++number) {
    FaultSchedule schedule = draw_schedule(number);
    INFO("schedule " << number);
    not_judged += run_lemma(schedule, {"indep"}, EngineKind::loggp).judged ? 0 : 1;
    std::erase_if(schedule.faults, [](const FaultSpec& fault) { return fault.ranks.size() > 1; });
    if (schedule.faults.size() > 1) schedule.faults.resize(1);
    CHECK(run_lemma(schedule, {"indep"}, EngineKind::loggp).judged);
  }
  CHECK(not_judged > 0);
  CHECK(not_judged < 125);
}

TEST_CASE("a schedule that is written as a scenario makes the same run") {
  const Subject subject{"rel-lazy", {{"adopted_child_fails", std::string("fallback")}}};
  for (std::uint64_t number = 1; number <= 40; ++number) {
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
