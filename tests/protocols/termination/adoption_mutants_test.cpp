// SPDX-License-Identifier: Apache-2.0

// INDEP and its kin with one mistake each, which the search of analysis/lemmas/lemma_search.hpp
// must find. Only then does it mean something that it finds nothing in the real ones.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/protocols/termination/adoption_mutants.hpp"

namespace faultline::termination {

using namespace test;

namespace {

/// How a mistake is to show.
struct Way {
  lemmas::LemmaFigure figure = lemmas::LemmaFigure::other;
  std::string words = "";  ///< with which the text begins
};

bool shows(const std::optional<lemmas::BrokenPromise>& broken, const Way& way) {
  return broken && broken->figure == way.figure && broken->text.rfind(way.words, 0) == 0;
}

/// The first of `schedules` schedules in which the mistake shows in that way, shrunk.
std::optional<lemmas::LemmaCounterexample> counterexample(const lemmas::ProtocolStack& stack,
                                                          const lemmas::Mutation& mutation,
                                                          const Way& way, std::uint64_t schedules) {
  const lemmas::Judge judge =
      [&](const lemmas::FaultSchedule& schedule) -> std::optional<lemmas::BrokenPromise> {
    auto broken = lemmas::run_lemma(schedule, stack, scenario::EngineKind::loggp, mutation).broken;
    return shows(broken, way) ? broken : std::nullopt;
  };
  for (std::uint64_t number = 1; number <= schedules; ++number) {
    const lemmas::FaultSchedule schedule = lemmas::draw_schedule(number);
    if (const auto broken = judge(schedule)) return lemmas::shrink({schedule, *broken}, judge, 20);
  }
  return std::nullopt;
}

void check_found(const std::string& detector, const lemmas::Mutation& mutation, const Way& way,
                 std::uint64_t schedules) {
  const lemmas::ProtocolStack stack = lemmas::under_oracle(detector);
  const auto found = counterexample(stack, mutation, way, schedules);
  INFO(detector);
  REQUIRE(found);
  const lemmas::FaultSchedule& schedule = found->schedule;
  INFO(lemmas::replay_files(schedule, stack, scenario::EngineKind::loggp, found->broken.text,
                            "m.json")
           .scenario);
  CHECK(lemmas::run_lemma(schedule, stack, scenario::EngineKind::loggp, mutation).broken ==
        found->broken);
  CHECK_FALSE(lemmas::run_lemma(schedule, stack, scenario::EngineKind::loggp).broken);
}

}  // namespace

TEST_CASE("the search finds an INDEP that tells the parent too late") {
  Registration layer;
  check_found("indep", with_tampering(send_first, layer), {lemmas::LemmaFigure::premature}, 20000);
}

TEST_CASE("the search finds an INDEP that takes order for a fence") {
  Registration layer;
  check_found("indep", with_tampering(send_without_fence, layer), {lemmas::LemmaFigure::premature},
              100000);
}

TEST_CASE("the search finds a REL that tells of its successors too late") {
  Registration layer;
  check_found("rel-lazy", with_tampering(send_first, layer), {lemmas::LemmaFigure::premature},
              20000);
  check_found("rel-eager", with_tampering(send_first, layer), {lemmas::LemmaFigure::premature},
              20000);
}

TEST_CASE("the search finds an INDEP that decides before the flush") {
  Registration mistaken;
  check_found("indep", with_mistake<DecidesBeforeTheFlush>(mistaken),
              {lemmas::LemmaFigure::premature}, 20000);
}

TEST_CASE("the search finds an INDEP with the printed cornet") {
  Registration mistaken;
  check_found("indep", with_mistake<PrintedCornet>(mistaken), {lemmas::LemmaFigure::hung}, 1000);
}

TEST_CASE("the search finds detectors that forget the dead with a new phase") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration mistaken;
    check_found(detector, with_mistake<ForgetsTheDead>(mistaken), {lemmas::LemmaFigure::hung},
                20000);
  }
}

TEST_CASE("the search finds detectors that do not answer their own messages") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration mistaken;
    check_found(detector, with_mistake<NoWordToItself>(mistaken), {lemmas::LemmaFigure::hung},
                20000);
  }
}

TEST_CASE("the search finds detectors that give up before they must") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration layer;
    Registration above;
    check_found(detector, giving_up_at_the_notice(layer, above), {lemmas::LemmaFigure::given_up},
                20000);
  }
}

TEST_CASE("the search finds detectors that do not give up, though all ends well") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration layer;
    check_found(detector, with_layer<AnswersForTheDead>(layer), {lemmas::LemmaFigure::not_given_up},
                20000);
  }
}

TEST_CASE("the search finds an INDEP that gives up because of children that it has made up") {
  Registration layer;
  // By their messages it had to: only the truth about related processes tells that it had not.
  const Way against_truth{lemmas::LemmaFigure::given_up, "given up, although no"};
  check_found("indep", with_tampering(tell_of_another, layer), against_truth, 20000);
}

TEST_CASE("the search finds what breaks an invariant, shrinks the schedule and writes it") {
  // Lai and Wu's messages are Dijkstra and Scholten's; INDEP passes over what nobody owes.
  Registration layer;
  const lemmas::Mutation mutation = with_tampering(acknowledge_twice, layer);
  const std::string words = "broken invariant: an acknowledgement that nobody owes (lai_wu.cpp:";
  const Way way{lemmas::LemmaFigure::other, words};
  check_found("lai-wu", mutation, way, 1000);
  const lemmas::ProtocolStack stack = lemmas::under_oracle("lai-wu");
  const auto found = counterexample(stack, mutation, way, 1000);
  REQUIRE(found);
  CHECK(found->schedule.processes <= 3);
  const auto seed = ", seed " + std::to_string(found->schedule.seed) + ", replication 0";
  CHECK(found->broken.text.find(seed) != std::string::npos);
  const auto files = lemmas::replay_files(found->schedule, stack, scenario::EngineKind::loggp,
                                          found->broken.text, "m.json");
  CHECK(files.scenario.find(words) != std::string::npos);
}

}  // namespace faultline::termination
