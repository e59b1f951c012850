// SPDX-License-Identifier: Apache-2.0

// The protocols of message logging with one mistake each, which both random searches must find:
// that of analysis/lemmas, above stencils, and that of logging_run.hpp, above a program with a
// state that depends on the order of messages. Only then does it mean something that they find
// nothing in the real ones.

#include <catch2/catch.hpp>
#include <string>

#include "tests/protocols/message_logging/logging_mutants.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"
#include "tests/support/schedules.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

constexpr std::uint64_t kRuns = 20000;

template <class Mutant>
void check_found(const std::string& protocol) {
  const Registration& mutant = mistaken<Mutant>(protocol);
  const bool any_order = !mutant.as<RecoveryTraits>().needs_order_free;
  const std::string by_lemmas =
      found_in_mutant(subject_named(Family::message_logging, protocol), in_place_of(mutant), kRuns);
  const std::string by_runs = counterexample(
      {.name = protocol, .options = {}, .any_order = any_order, .change = in_place_of(mutant)},
      scenario::EngineKind::loggp, kRuns);
  CAPTURE(by_lemmas, by_runs);
  CHECK(by_lemmas != "");
  CHECK(by_runs != "");
}

}  // namespace

TEST_CASE("the searches find a causal that drops a determinant") {
  check_found<DropsADeterminant>("causal");
}

TEST_CASE("the searches find a causal that acknowledges determinants before it stores them") {
  check_found<AcknowledgesBeforeItStores>("causal");
}

TEST_CASE("the searches find protocols that do not know duplicates") {
  check_found<KnowsNoDuplicates>("causal");
  check_found<HasNoDuplicateTable>("fast");
}

TEST_CASE("the searches find a causal that replays messages as they arrive") {
  check_found<ReplaysAsMessagesArrive>("causal");
}

TEST_CASE("the searches find a causal that replays before all determinants are in") {
  check_found<DoesNotWaitForAllDeterminants>("causal");
}

TEST_CASE("the searches find a causal that does not log again what it sends again") {
  check_found<DoesNotLogAgain>("causal");
}

TEST_CASE("the searches find a keeper that drops the old image early") {
  check_found<DropsTheOldImage>("checkpoint-restart");
}

// Mostly, what an old incarnation has sent has the number and the content of what its successor
// sends again. It differs if the successor has had messages in another order, since nobody whom it
// asked knew the old one. So the message must come after its receiver has answered.
TEST_CASE("the searches find a causal that checks no incarnation") {
  check_found<ChecksNoIncarnation>("causal");
}

TEST_CASE("the search below detectors finds a causal that replays them wrongly") {
  const lemmas::LemmaSubject& subject =
      subject_named(Family::message_logging, "causal below detectors");
  const auto found = [&](const Registration& mutant) {
    return found_in_mutant(subject, in_place_of(mutant), kRuns);
  };
  CHECK(found(mistaken<OrdersNoComputations>("causal")) != "");
  CHECK(found(mistaken<TakesImagesInReplays>("causal")) != "");
}

}  // namespace faultline::message_logging
