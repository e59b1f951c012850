// SPDX-License-Identifier: Apache-2.0

// Detectors with one mistake each, which the search for counterexamples must find: this is what
// shows that the search for those of the real ones (random_run_test.cpp) can fail.

#include <catch2/catch.hpp>
#include <memory>

#include "tests/protocols/termination/detector_mutants.hpp"
#include "tests/protocols/termination/random_run.hpp"

namespace faultline::termination {

using namespace test;

namespace {

DetectorUnderTest polling(std::uint32_t equal_rounds) {
  return {.name = "polling", .install = [equal_rounds](Job& job, const RandomRun&) {
            job.own(Family::termination,
                    [equal_rounds](ActorId) { return std::make_unique<Polling>(equal_rounds); });
          }};
}

DetectorUnderTest without_parents() {
  return {.name = "without parents", .install = [](Job& job, const RandomRun&) {
            job.own(Family::termination,
                    [](ActorId) { return std::make_unique<WithoutParents>(); });
          }};
}

/// A real detector with one mistake.
template <class Mistake>
DetectorUnderTest mistaken(const std::string& name) {
  DetectorUnderTest detector = registered(name);
  detector.install = [install = detector.install, spoilt = std::make_shared<Registration>()](
                         Job& job, const RandomRun& run) {
    install(job, run);
    make_mistaken<Mistake>(job.spec, Family::termination, *spoilt);
  };
  return detector;
}

/// How small the counterexample must become is asked on loggp, which tries more seeds.
void check_found(const DetectorUnderTest& detector, const std::string& promise,
                 std::uint32_t processes, std::uint32_t tasks) {
  for (const scenario::EngineKind engine : engines()) {
    const auto found = search(detector, engine, 500);
    INFO(engine_word(engine) << " " << detector.name);
    REQUIRE(found);
    INFO(describe(found->run) << ": " << found->promise);
    CHECK(found->promise.find(promise) != std::string::npos);
    // What is printed is what failed.
    CHECK(broken_promise(found->run, detector, engine) == found->promise);
    if (engine == scenario::EngineKind::simgrid) continue;
    CHECK(found->run.processes <= processes);
    CHECK(found->run.tasks <= tasks);
    CHECK(found->run.phases == 1);
  }
}

}  // namespace

TEST_CASE("the search finds a detector that believes one wave, and shrinks what it finds") {
  check_found(polling(1), "tasks left", 3, 12);
}

TEST_CASE("the same detector with two waves is right, and the search finds nothing") {
  for (const scenario::EngineKind engine : engines()) {
    CHECK(counterexample(polling(2), engine, sample_of(400, engine)) == "");
  }
}

TEST_CASE("the search finds a Dijkstra-Scholten without parents") {
  check_found(without_parents(), "tasks left", 3, 4);
}

TEST_CASE("the search finds a CDA that loses the credit of messages to itself") {
  check_found(mistaken<MissesMessagesToItself>("cda"), "credit: ", 1, 2);
}

TEST_CASE("the search finds a CDA that hands out more than it owns") {
  check_found(mistaken<HandsOutTooMuch>("cda"), "credit: credit is not conserved: 64 too much", 1,
              2);
}

TEST_CASE("the search finds a CDA that does not flush") {
  check_found(mistaken<NeverFlushes>("cda"), "hung: ", 1, 0);
}

TEST_CASE("the search finds a four-counter that misses messages to itself") {
  check_found(mistaken<MissesMessagesToItself>("four-counter"), "hung: ", 1, 2);
}

TEST_CASE("the search finds a four-counter that counts what it is about to receive") {
  check_found(mistaken<CountsNothing>("four-counter"), "tasks left", 2, 3);
}

TEST_CASE("the search finds a Dijkstra-Scholten that breaks its own invariant, and shrinks it") {
  DetectorUnderTest detector = mistaken<TakesOneForTwo>("dijkstra-scholten");
  // It announces too early, too.
  detector.looks_for = "broken invariant: an acknowledgement that nobody owes";
  check_found(detector, detector.looks_for + " (dijkstra_scholten.cpp:", 3, 12);
}

TEST_CASE("spoiling nothing breaks nothing") {
  for (const std::string& name : detectors()) {
    INFO(name);
    CHECK(counterexample(mistaken<Unspoilt>(name), scenario::EngineKind::loggp, 50) == "");
  }
}

}  // namespace faultline::termination
