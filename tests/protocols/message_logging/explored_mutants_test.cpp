// SPDX-License-Identifier: Apache-2.0

// The mistakes in message logging that random search finds (mutants_test.cpp) are found by
// exploring, too, on two ranks, and one of them on three. Mistakes with duplicates and logs need a
// checkpoint. Those with determinants need a program whose state depends on the order of messages.
// On two ranks, that is one in which rank 0 sends words to itself while the other one sends it
// some.

#include <catch2/catch.hpp>
#include <string>

#include "tests/protocols/message_logging/explored_logging.hpp"
#include "tests/protocols/message_logging/logging_mutants.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

template <class Mutant>
exploration::ExplorationResult explored_mutant(const std::string& protocol,
                                               const ExploredLogging& tiny) {
  const Registration& mutant = mistaken<Mutant>(protocol);
  const auto change = [&mutant](scenario::RunSpec& spec) {
    spec.components[index_of(Family::message_logging)].registration = &mutant;
  };
  return explored({.name = protocol, .options = {}, .change = change}, tiny);
}

/// The shortest run to a broken promise has this many steps, and breaks a promise of that kind. The
/// protocol without the mistake breaks none.
template <class Mutant>
void check_refuted(const std::string& protocol, const ExploredLogging& tiny,
                   const std::string& kind, std::size_t steps) {
  const exploration::ExplorationResult result = explored_mutant<Mutant>(protocol, tiny);
  CAPTURE(protocol, result.states);
  REQUIRE(result.refutation);
  CHECK(result.refutation->violations.front().kind == kind);
  CHECK(result.refutation->steps.size() == steps);
  CHECK(explored({.name = protocol, .options = {}}, tiny).verdict ==
        exploration::ExplorationResult::Verdict::exhausted);
}

}  // namespace

TEST_CASE("explored: message logging that does not know duplicates") {
  check_refuted<KnowsNoDuplicates>("causal", {}, "broken-invariant", 30);
  check_refuted<HasNoDuplicateTable>("fast", {}, "broken-invariant", 27);
}

TEST_CASE("explored: a causal that does not log again what it sends again") {
  check_refuted<DoesNotLogAgain>("causal", {.faults = 2}, "deadlock", 31);
}

// Rank 0 dies and begins anew, and its state is not the one of what it had sent.
TEST_CASE("explored: a causal that replays messages as they arrive") {
  check_refuted<ReplaysAsMessagesArrive>("causal", {.race = {{1, 1}}}, "wrong-state", 16);
}

TEST_CASE("explored: a causal that acknowledges determinants before it stores them") {
  check_refuted<AcknowledgesBeforeItStores>("causal", {.race = {{1, 1}}}, "wrong-state", 18);
}

// It drops the third one. What comes third is open only if there are four.
TEST_CASE("explored: a causal that drops a determinant") {
  check_refuted<DropsADeterminant>("causal", {.race = {{2, 2}}}, "wrong-state", 28);
}

// A message of the old incarnation is taken for one of the new one, which all do not know yet.
TEST_CASE("explored: a causal that checks no incarnation") {
  check_refuted<ChecksNoIncarnation>("causal", {.race = {{1, 1}}}, "broken-invariant", 5);
}

// Two ranks store determinants of rank 0, and one of them has the first only.
TEST_CASE("explored: a causal that replays before all determinants are in") {
  const ExploredLogging tiny{
      .race = {{1, 2, 0}}, .crash = exploration::CrashPlaces::between_events, .victims = {0}};
  check_refuted<DoesNotWaitForAllDeterminants>("causal", tiny, "wrong-state", 21);
}

// With one death there is always an image to go back to.
TEST_CASE("explored: a keeper that drops the old image early") {
  CHECK(
      explored_mutant<DropsTheOldImage>("checkpoint-restart", {}).ends.contains("fatal-reported"));
  CHECK(
      !explored({.name = "checkpoint-restart", .options = {}}, {}).ends.contains("fatal-reported"));
}

}  // namespace faultline::message_logging
