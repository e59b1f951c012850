// The protocols of message logging under random schedules of deaths: every run comes to its right
// end, or gives up where it may.

#include <catch2/catch.hpp>
#include <string>

#include "analysis/lemmas/lemma_search.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "tests/support/job.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

const LemmaSubject& subject_named(const std::string& name) {
  for (const LemmaSubject& subject : lemma_subjects(Family::message_logging))
    if (subject.name == name) return subject;
  FAIL("no subject " << name);
  return lemma_subjects(Family::message_logging).front();
}

/// Tries the schedules from that number to before the other one.
void check_schedules(const LemmaSubject& subject, EngineKind engine, std::uint64_t from,
                     std::uint64_t to) {
  for (std::uint64_t number = from; number < to; ++number) {
    const auto judged = [&] {
      const auto broken = run_lemma(subject.draw(number), subject.stack, engine).broken;
      return broken ? lemma_figure_word(broken->figure) + ": " + broken->text : std::string();
    };
    const std::string broken = engine == EngineKind::loggp ? judged() : in_child(judged);
    INFO(engine_word(engine) << " " << subject.name << ", schedule " << number);
    REQUIRE(broken == "");
  }
}

}  // namespace

TEST_CASE("message logging keeps its promises under random deaths") {
  for (const LemmaSubject& subject : lemma_subjects(Family::message_logging)) {
    check_schedules(subject, EngineKind::loggp, 1, 1501);
    check_schedules(subject, EngineKind::simgrid, 1, 4);
  }
}

// A rank dies with a determinant stored and the one before it not. Its successor gives these
// tickets to other messages, and dies, too.
TEST_CASE("a replay follows the last incarnation that has given a ticket") {
  check_schedules(subject_named("pessimistic"), EngineKind::loggp, 1686, 1687);
}

// Results of reductions from before a death are sent again all at once, and pass one another.
TEST_CASE("a stencil passes results on in the same order when they come in another") {
  check_schedules(subject_named("fast ssn"), EngineKind::loggp, 9790, 9791);
}

TEST_CASE("a schedule with deaths that are recovered from is replayed from its files") {
  std::size_t with_spare_nodes = 0;
  for (const LemmaSubject& subject : lemma_subjects(Family::message_logging))
    for (std::uint64_t number = 1; number <= 10; ++number) {
      const FaultSchedule schedule = subject.draw(number);
      const TemporaryDirectory directory;
      const ReplayFiles files =
          replay_files(schedule, subject.stack, EngineKind::loggp, "replay", "./machine.json");
      static_cast<void>(directory.write("machine.json", files.machine));
      const Scenario scenario =
          load_scenario(directory.write("scenario.json", files.scenario).string());
      const RunResult again =
          run_simulation(scenario.points.front(), scenario.engine, scenario.seed, 0);
      const RunResult first = run_lemma(schedule, subject.stack, EngineKind::loggp).result;
      CAPTURE(subject.name, number);
      CHECK(again.outcome == first.outcome);
      CHECK(again.metrics.values() == first.metrics.values());
      if (!schedule.faults.front().nodes.empty()) ++with_spare_nodes;
    }
  CHECK(with_spare_nodes > 0);
}
