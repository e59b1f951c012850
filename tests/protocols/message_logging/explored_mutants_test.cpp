// Mistakes in message logging that random search finds (mutants_test.cpp) and that two ranks can
// show. Five others of `causal` go right on two ranks, and three ranks with two deaths have too
// many states to be tried here.

#include <catch2/catch.hpp>
#include <string>

#include "tests/protocols/message_logging/explored_logging.hpp"
#include "tests/protocols/message_logging/logging_mutants.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

template <class Mutant>
ExplorationResult explored_mutant(const std::string& protocol, const ExploredLogging& tiny) {
  const Registration& mutant = mistaken<Mutant>(protocol);
  const auto change = [&mutant](RunSpec& spec) {
    spec.components[index_of(Family::message_logging)].registration = &mutant;
  };
  return explored({.name = protocol, .options = {}, .change = change}, tiny);
}

/// The shortest run to a broken promise has so many steps, and breaks a promise of that kind. The
/// protocol without the mistake breaks none.
template <class Mutant>
void check_refuted(const std::string& protocol, const ExploredLogging& tiny,
                   const std::string& kind, std::size_t steps) {
  const ExplorationResult result = explored_mutant<Mutant>(protocol, tiny);
  CAPTURE(protocol, result.states);
  REQUIRE(result.refutation);
  CHECK(result.refutation->violations.front().kind == kind);
  CHECK(result.refutation->steps.size() == steps);
  CHECK(explored({.name = protocol, .options = {}}, tiny).verdict ==
        ExplorationResult::Verdict::exhausted);
}

}  // namespace

TEST_CASE("explored: message logging that does not know duplicates") {
  check_refuted<KnowsNoDuplicates>("causal", {}, "broken-invariant", 30);
  check_refuted<HasNoDuplicateTable>("fast", {}, "broken-invariant", 27);
}

TEST_CASE("explored: a causal that does not log again what it sends again") {
  check_refuted<DoesNotLogAgain>("causal", {.faults = 2}, "deadlock", 31);
}

// With one death there is always an image to go back to.
TEST_CASE("explored: a keeper that drops the old image early") {
  CHECK(
      explored_mutant<DropsTheOldImage>("checkpoint-restart", {}).ends.contains("fatal-reported"));
  CHECK(
      !explored({.name = "checkpoint-restart", .options = {}}, {}).ends.contains("fatal-reported"));
}
