// The protocols of transactions under random schedules of deaths, stalls and errors: every run
// comes to its right end, or gives up where it may.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "sim/scenario/scenario.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// Every value of an option that is a word or a truth, and of the others whether it is stated.
std::map<std::string, std::set<std::string>> drawn_options(const LemmaSubject& subject,
                                                           std::uint64_t schedules) {
  std::map<std::string, std::set<std::string>> drawn;
  for (std::uint64_t number = 1; number <= schedules; ++number)
    for (const auto& [option, value] : subject.draw(number).transactions) {
      const auto* word = std::get_if<std::string>(&value);
      drawn[option].insert(word == nullptr ? "stated" : *word);
    }
  return drawn;
}

FaultSpec at_event(std::uint64_t event, Rank victim) {
  FaultSpec fault;
  fault.event = event;
  fault.ranks = {victim};
  return fault;
}

void check_finishes(const std::string& subject, const FaultSchedule& schedule) {
  const LemmaRun run =
      run_lemma(schedule, subject_named(Family::transactions, subject).stack, EngineKind::loggp);
  CAPTURE(run.result.fatal_reason, run.broken ? run.broken->text : "");
  CHECK(run.result.outcome == Outcome::finished);
  CHECK(!run.broken);
}

}  // namespace

TEST_CASE("transactions keep their promises under random deaths, stalls and errors") {
  for (const LemmaSubject& subject : lemma_subjects(Family::transactions)) {
    check_schedules(subject, EngineKind::loggp, 1, 3301);
    check_schedules(subject, EngineKind::simgrid, 1, 8);
  }
}

TEST_CASE("transactions keep their promises in many more random schedules", "[.soak]") {
  for (const LemmaSubject& subject : lemma_subjects(Family::transactions))
    check_schedules(subject, EngineKind::loggp, 3301, 60000);
}

TEST_CASE("a random schedule may state any option of a protocol of transactions") {
  const std::set<std::string> left_out{"protect_recovery", "control_bytes"};
  for (const std::string name : {"fampi", "ulfm", "relaunch"}) {
    std::map<std::string, std::set<std::string>> drawn;
    for (const LemmaSubject& subject : lemma_subjects(Family::transactions))
      if (subject.name.starts_with(name))
        for (const auto& [option, values] : drawn_options(subject, 500))
          drawn[option].insert(values.begin(), values.end());
    for (const OptionSpec& option : find_registration(Family::transactions, name)->options) {
      CAPTURE(name, option.name);
      if (left_out.contains(option.name)) continue;
      CHECK(drawn.contains(option.name));
      // The default need not be stated.
      for (const std::string& word : option.choices)
        if (OptionValue(word) != option.default_value) CHECK(drawn[option.name].contains(word));
    }
  }
}

TEST_CASE("random schedules strike commits, recoveries and new processes") {
  std::set<std::string> stages;
  std::uint64_t died_again = 0;
  std::uint64_t stalls = 0;
  std::uint64_t errors = 0;
  const LemmaSubject& subject = subject_named(Family::transactions, "fampi");
  for (std::uint64_t number = 1; number <= 500; ++number) {
    const FaultSchedule schedule = subject.draw(number);
    const auto metrics =
        run_lemma(schedule, subject.stack, EngineKind::loggp).result.metrics.values();
    if (metrics.at("ranks_respawned").value_or(0) > 1) ++died_again;
    for (const FaultSpec& fault : schedule.faults) {
      if (fault.mark && fault.kills()) stages.insert(fault.mark->name);
      if (fault.stall_s > 0) ++stalls;
    }
    errors += static_cast<std::uint64_t>(metrics.at("errors_raised").value_or(0));
  }
  CHECK(stages.size() == 10);
  CHECK(died_again > 50);
  CHECK(stalls > 50);
  CHECK(errors > 50);
}

TEST_CASE("a schedule of a program of TryBlocks is replayed from its files") {
  for (const LemmaSubject& subject : lemma_subjects(Family::transactions))
    for (std::uint64_t number = 1; number <= 40; ++number) {
      const FaultSchedule schedule = subject.draw(number);
      const TemporaryDirectory directory;
      const ReplayFiles files =
          replay_files(schedule, subject.stack, EngineKind::loggp, "replay", "./machine.json");
      static_cast<void>(directory.write("machine.json", files.machine));
      CAPTURE(subject.name, number);
      const Scenario scenario =
          load_scenario(directory.write("scenario.json", files.scenario).string());
      const RunResult again =
          run_simulation(scenario.points.front(), scenario.engine, scenario.seed, 0);
      const RunResult first = run_lemma(schedule, subject.stack, EngineKind::loggp).result;
      CHECK(again.outcome == first.outcome);
      CHECK(again.metrics.values() == first.metrics.values());
    }
}

TEST_CASE("every simpler schedule of a program of TryBlocks is one that a scenario can state") {
  for (const LemmaSubject& subject : lemma_subjects(Family::transactions))
    for (std::uint64_t number = 1; number <= 15; ++number)
      for (const FaultSchedule& simpler : simpler_schedules(subject.draw(number))) {
        const TemporaryDirectory directory;
        const ReplayFiles files =
            replay_files(simpler, subject.stack, EngineKind::loggp, "replay", "./machine.json");
        static_cast<void>(directory.write("machine.json", files.machine));
        CAPTURE(subject.name, number, files.scenario);
        CHECK_NOTHROW(load_scenario(directory.write("scenario.json", files.scenario).string()));
      }
}

// Messages leave before the words of the same turn are stored. The root of the checkpoint told the
// others that it was complete, and died before it had stored its own part.
TEST_CASE("a rank says that its part of a checkpoint is stored only when it is") {
  check_finishes("relaunch", {.seed = 2866,
                              .processes = 6,
                              .processes_per_node = 3,
                              .workload = "try-blocks",
                              .work = 4,
                              .compute_s = 4.7060290920968519e-06,
                              .overhead_s = 2.8460388043101133e-06,
                              .latency_s = 3.5507795441409171e-07,
                              .gap_s = 1.0008108992398274e-07,
                              .notice_s = 7.1860881316119311e-07,
                              .reordering_s = 4.489570811272711e-06,
                              .faults = {at_event(74, 0)},
                              .spare_nodes = 3,
                              .has_sums = false,
                              .transactions = {{"checkpoint", std::string("storage")},
                                               {"checkpoint_interval_s", 5.0834655220073546e-06},
                                               {"relaunch_s", 0.0}}});
}

// Checkpoint 2 is complete, but its keeper does not know it yet when the copy of checkpoint 3
// comes. The death makes it go back to 1, which it must still have.
TEST_CASE("a keeper keeps the checkpoints of others that it may have to go back to itself") {
  check_finishes("relaunch", {.seed = 688,
                              .processes = 4,
                              .processes_per_node = 2,
                              .workload = "try-blocks",
                              .work = 3,
                              .compute_s = 6.1959447793598426e-06,
                              .overhead_s = 3.9407686648718064e-07,
                              .latency_s = 5.0599785172854863e-06,
                              .gap_s = 2.4781433357809803e-06,
                              .notice_s = 5.433205958164556e-07,
                              .reordering_s = 2.3129597200158947e-06,
                              .faults = {at_event(53, 1)},
                              .spare_nodes = 4,
                              .has_sums = false,
                              .transactions = {{"checkpoint", std::string("partner")},
                                               {"checkpoint_iterations", std::int64_t{1}}}});
}

// Its keeper was left out of the smaller world, so this rank has nobody to send a copy to, and the
// others waited for it.
TEST_CASE("a checkpoint of a world that has shrunk ends though keepers have been left out") {
  for (const char* subject : {"fampi", "ulfm"})
    for (const Rank victim : {0U, 3U})
      check_finishes(subject, {.processes = 4,
                               .workload = "try-blocks",
                               .work = 3,
                               .faults = {at_event(1, victim)},
                               .spare_nodes = 1,
                               .has_sums = false,
                               .transactions = {{"recovery", std::string("shrink")},
                                                {"checkpoint", std::string("partner")},
                                                {"checkpoint_interval_s", 1e-4}}});
}
