// SPDX-License-Identifier: Apache-2.0

// INDEP and its kin with one mistake each, which the search of analysis/lemmas/lemma_search.hpp
// must find. Only then does it mean something that it finds nothing in the real ones.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/protocols/termination/adoption_mutants.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// How a mistake is to show.
struct Way {
  LemmaFigure figure = LemmaFigure::other;
  std::string words = "";  ///< with which the text begins
};

bool shows(const std::optional<BrokenPromise>& broken, const Way& way) {
  return broken && broken->figure == way.figure && broken->text.rfind(way.words, 0) == 0;
}

/// The first of `schedules` schedules in which the mistake shows in that way, shrunk.
std::optional<LemmaCounterexample> counterexample(const ProtocolStack& stack,
                                                  const Mutation& mutation, const Way& way,
                                                  std::uint64_t schedules) {
  const Judge judge = [&](const FaultSchedule& schedule) -> std::optional<BrokenPromise> {
    auto broken = run_lemma(schedule, stack, EngineKind::loggp, mutation).broken;
    return shows(broken, way) ? broken : std::nullopt;
  };
  for (std::uint64_t number = 1; number <= schedules; ++number) {
    const FaultSchedule schedule = draw_schedule(number);
    if (const auto broken = judge(schedule)) return shrink({schedule, *broken}, judge, 20);
  }
  return std::nullopt;
}

void check_found(const std::string& detector, const Mutation& mutation, const Way& way,
                 std::uint64_t schedules) {
  const ProtocolStack stack = under_oracle(detector);
  const auto found = counterexample(stack, mutation, way, schedules);
  INFO(detector);
  REQUIRE(found);
  const FaultSchedule& schedule = found->schedule;
  INFO(replay_files(schedule, stack, EngineKind::loggp, found->broken.text, "m.json").scenario);
  CHECK(run_lemma(schedule, stack, EngineKind::loggp, mutation).broken == found->broken);
  CHECK_FALSE(run_lemma(schedule, stack, EngineKind::loggp).broken);
}

}  // namespace

TEST_CASE("the search finds an INDEP that tells the parent too late") {
  Registration layer;
  check_found("indep", with_tampering(send_first, layer), {LemmaFigure::premature}, 20000);
}

TEST_CASE("the search finds an INDEP that takes order for a fence") {
  Registration layer;
  check_found("indep", with_tampering(send_without_fence, layer), {LemmaFigure::premature}, 100000);
}

TEST_CASE("the search finds a REL that tells of its successors too late") {
  Registration layer;
  check_found("rel-lazy", with_tampering(send_first, layer), {LemmaFigure::premature}, 20000);
  check_found("rel-eager", with_tampering(send_first, layer), {LemmaFigure::premature}, 20000);
}

TEST_CASE("the search finds an INDEP that decides before the flush") {
  Registration mistaken;
  check_found("indep", with_mistake<DecidesBeforeTheFlush>(mistaken), {LemmaFigure::premature},
              20000);
}

TEST_CASE("the search finds an INDEP with the printed cornet") {
  Registration mistaken;
  check_found("indep", with_mistake<PrintedCornet>(mistaken), {LemmaFigure::hung}, 1000);
}

TEST_CASE("the search finds detectors that forget the dead with a new phase") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration mistaken;
    check_found(detector, with_mistake<ForgetsTheDead>(mistaken), {LemmaFigure::hung}, 20000);
  }
}

TEST_CASE("the search finds detectors that do not answer their own messages") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration mistaken;
    check_found(detector, with_mistake<NoWordToItself>(mistaken), {LemmaFigure::hung}, 20000);
  }
}

TEST_CASE("the search finds detectors that give up before they must") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration layer;
    Registration above;
    check_found(detector, giving_up_at_the_notice(layer, above), {LemmaFigure::given_up}, 20000);
  }
}

TEST_CASE("the search finds detectors that do not give up, though all ends well") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"}) {
    Registration layer;
    check_found(detector, with_layer<AnswersForTheDead>(layer), {LemmaFigure::not_given_up}, 20000);
  }
}

TEST_CASE("the search finds an INDEP that gives up because of children that it has made up") {
  Registration layer;
  // By their messages it had to: only the truth about related processes tells that it had not.
  const Way against_truth{LemmaFigure::given_up, "given up, although no"};
  check_found("indep", with_tampering(tell_of_another, layer), against_truth, 20000);
}

TEST_CASE("the search finds what breaks an invariant, shrinks the schedule and writes it") {
  // Lai and Wu's messages are Dijkstra and Scholten's; INDEP passes over what nobody owes.
  Registration layer;
  const Mutation mutation = with_tampering(acknowledge_twice, layer);
  const std::string words = "broken invariant: an acknowledgement that nobody owes (lai_wu.cpp:";
  const Way way{LemmaFigure::other, words};
  check_found("lai-wu", mutation, way, 1000);
  const ProtocolStack stack = under_oracle("lai-wu");
  const auto found = counterexample(stack, mutation, way, 1000);
  REQUIRE(found);
  CHECK(found->schedule.processes <= 3);
  const auto seed = ", seed " + std::to_string(found->schedule.seed) + ", replication 0";
  CHECK(found->broken.text.find(seed) != std::string::npos);
  const auto files =
      replay_files(found->schedule, stack, EngineKind::loggp, found->broken.text, "m.json");
  CHECK(files.scenario.find(words) != std::string::npos);
}
