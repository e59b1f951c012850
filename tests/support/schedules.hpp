// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "analysis/lemmas/lemma_search.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "tests/platform/in_child.hpp"
#include "tests/support/job.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::test {

/// What the search for broken lemmas tries under that name.
inline const lemmas::LemmaSubject& subject_named(Family family, const std::string& name) {
  for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(family))
    if (subject.name == name) return subject;
  FAIL("no subject " << name);
  return lemmas::lemma_subjects(family).front();
}

/// Requires that no promise is broken under the schedules from that number to before the other one.
/// Without SimGrid, nothing runs on it.
inline void check_schedules(const lemmas::LemmaSubject& subject, scenario::EngineKind engine,
                            std::uint64_t from, std::uint64_t to) {
  if (engine == scenario::EngineKind::simgrid && !kSimGridEngine) return;
  for (std::uint64_t number = from; number < to; ++number) {
    const auto judged = [&] {
      const auto broken = lemmas::run_lemma(subject.draw(number), subject.stack, engine).broken;
      return broken ? lemmas::lemma_figure_word(broken->figure) + ": " + broken->text
                    : std::string();
    };
    const std::string broken =
        engine == scenario::EngineKind::loggp ? judged() : platform::in_child(judged);
    INFO(engine_word(engine) << " " << subject.name << ", schedule " << number);
    REQUIRE(broken == "");
  }
}

/// What the first of the schedules 1 to `most` finds under which a mutant breaks a promise, in
/// words; "" if none does.
inline std::string found_in_mutant(const lemmas::LemmaSubject& subject,
                                   const lemmas::Mutation& mutation, std::uint64_t most) {
  for (std::uint64_t number = 1; number <= most; ++number) {
    const auto broken = lemmas::run_lemma(subject.draw(number), subject.stack,
                                          scenario::EngineKind::loggp, mutation)
                            .broken;
    if (broken)
      return std::to_string(number) + ": " + lemmas::lemma_figure_word(broken->figure) + ": " +
             broken->text;
  }
  return {};
}

/// Checks that the scenario and the machine that are written for a schedule give the same run
/// again.
inline void check_replay(const lemmas::FaultSchedule& schedule,
                         const lemmas::ProtocolStack& stack) {
  const TemporaryDirectory directory;
  const lemmas::ReplayFiles files = lemmas::replay_files(
      schedule, stack, scenario::EngineKind::loggp, "replay", "./machine.json");
  static_cast<void>(directory.write("machine.json", files.machine));
  const scenario::Scenario scenario =
      scenario::load_scenario(directory.write("scenario.json", files.scenario).string());
  const engine::RunResult again =
      engine::run_simulation(scenario.points.front(), scenario.engine, scenario.seed, 0);
  const engine::RunResult first =
      lemmas::run_lemma(schedule, stack, scenario::EngineKind::loggp).result;
  CHECK(again.outcome == first.outcome);
  CHECK(again.events == first.events);
  CHECK(again.metrics.values() == first.metrics.values());
}

/// Checks the replay of the first of a subject's schedules.
inline void check_replays(const lemmas::LemmaSubject& subject, std::uint64_t schedules) {
  for (std::uint64_t number = 1; number <= schedules; ++number) {
    INFO(subject.name << ", schedule " << number);
    check_replay(subject.draw(number), subject.stack);
  }
}

}  // namespace faultline::test
