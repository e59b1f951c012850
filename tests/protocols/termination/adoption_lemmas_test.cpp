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
