// SPDX-License-Identifier: Apache-2.0

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

namespace faultline::transactions {

using namespace test;

namespace {

/// Every value of an option that is a word or a truth, and of the others whether it is stated.
std::map<std::string, std::set<std::string>> drawn_options(const lemmas::LemmaSubject& subject,
                                                           std::uint64_t schedules) {
  std::map<std::string, std::set<std::string>> drawn;
  for (std::uint64_t number = 1; number <= schedules; ++number)
    for (const auto& [option, value] : subject.draw(number).transactions) {
      const auto* word = std::get_if<std::string>(&value);
      drawn[option].insert(word == nullptr ? "stated" : *word);
    }
  return drawn;
}

}  // namespace

TEST_CASE("transactions keep their promises under random deaths, stalls and errors") {
  for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(Family::transactions)) {
    check_schedules(subject, scenario::EngineKind::loggp, 1, 3301);
    check_schedules(subject, scenario::EngineKind::simgrid, 1, 8);
  }
}

TEST_CASE("transactions keep their promises in many more random schedules", "[.soak]") {
  for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(Family::transactions))
    check_schedules(subject, scenario::EngineKind::loggp, 3301, 60000);
}

TEST_CASE("a random schedule may state any option of a protocol of transactions") {
  const std::set<std::string> left_out{"protect_recovery", "control_bytes"};
  for (const std::string name : {"fampi", "ulfm", "relaunch"}) {
    std::map<std::string, std::set<std::string>> drawn;
    for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(Family::transactions))
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
  const lemmas::LemmaSubject& subject = subject_named(Family::transactions, "fampi");
  for (std::uint64_t number = 1; number <= 500; ++number) {
    const lemmas::FaultSchedule schedule = subject.draw(number);
    const auto metrics = lemmas::run_lemma(schedule, subject.stack, scenario::EngineKind::loggp)
                             .result.metrics.values();
    if (metrics.at("ranks_respawned").value_or(0) > 1) ++died_again;
    for (const faults::FaultSpec& fault : schedule.faults) {
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
  for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(Family::transactions))
    check_replays(subject, 40);
}

TEST_CASE("every simpler schedule of a program of TryBlocks is one that a scenario can state") {
  for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(Family::transactions))
    for (std::uint64_t number = 1; number <= 15; ++number)
      for (const lemmas::FaultSchedule& simpler : lemmas::simpler_schedules(subject.draw(number))) {
        const TemporaryDirectory directory;
        const lemmas::ReplayFiles files = lemmas::replay_files(
            simpler, subject.stack, scenario::EngineKind::loggp, "replay", "./machine.json");
        static_cast<void>(directory.write("machine.json", files.machine));
        CAPTURE(subject.name, number, files.scenario);
        CHECK_NOTHROW(
            scenario::load_scenario(directory.write("scenario.json", files.scenario).string()));
      }
}

}  // namespace faultline::transactions
