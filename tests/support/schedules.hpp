#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "analysis/lemmas/lemma_search.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "tests/platform/in_child.hpp"
#include "tests/support/job.hpp"

namespace faultline::test {

/// What the search for broken lemmas tries under that name.
inline const LemmaSubject& subject_named(Family family, const std::string& name) {
  for (const LemmaSubject& subject : lemma_subjects(family))
    if (subject.name == name) return subject;
  FAIL("no subject " << name);
  return lemma_subjects(family).front();
}

/// Requires that no promise is broken under the schedules from that number to before the other one.
inline void check_schedules(const LemmaSubject& subject, EngineKind engine, std::uint64_t from,
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

/// What the first of the schedules 1 to `most` finds under which a mutant breaks a promise, in
/// words; "" if none does.
inline std::string found_in_mutant(const LemmaSubject& subject, const Mutation& mutation,
                                   std::uint64_t most) {
  for (std::uint64_t number = 1; number <= most; ++number) {
    const auto broken =
        run_lemma(subject.draw(number), subject.stack, EngineKind::loggp, mutation).broken;
    if (broken)
      return std::to_string(number) + ": " + lemma_figure_word(broken->figure) + ": " +
             broken->text;
  }
  return {};
}

}  // namespace faultline::test
