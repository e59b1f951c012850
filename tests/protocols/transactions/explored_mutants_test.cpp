// SPDX-License-Identifier: Apache-2.0

// The mistakes in FA-MPI that random search finds (mutants_test.cpp) are found by exploring, too,
// on programs of three ranks. With patient timers nobody has a reason to give up: a rank waits in
// vain only if a rank does not do what it should. So to give up is as wrong there as to break a
// promise.

#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "analysis/exploration/exploration.hpp"
#include "tests/protocols/transactions/fampi_mutants.hpp"
#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

/// A program of TryBlocks, and the ranks that may die in it.
struct Bound {
  std::int64_t iterations = 1;
  std::int64_t sums = 0;
  std::uint32_t faults = 1;
  std::vector<ActorId> victims = {};
  exploration::TimerRule timers = exploration::TimerRule::patient;
  FampiOptions options = {};
  Words steps = {};  ///< of a program in place of try-blocks
  scenario::Ordering ordering = scenario::Ordering::fifo;
};

/// A run to something that is wrong.
struct Found {
  std::string what;
  std::size_t steps = 0;
  friend bool operator==(const Found&, const Found&) = default;
};

std::ostream& operator<<(std::ostream& out, const Found& found) {
  return out << found.what << " after " << found.steps << " steps";
}

/// The shortest run of three ranks to a broken promise or, with patient timers, to one that gives
/// up. None if there is none within the bound.
template <class Protocol>
std::optional<Found> found_in(const Bound& bound) {
  Job job(3);
  job.spec.platform.spare_nodes = 3;
  job.spec.platform.ordering = bound.ordering;
  job.spec.stop.when = scenario::StopWhen::finished;
  if (!bound.steps.empty())
    job.workload("try-script", {{"iterations", bound.iterations}, {"steps", bound.steps}});
  else
    job.workload("try-blocks", {{"iterations", bound.iterations}, {"allreduces", bound.sums}});
  job.use(Family::transactions, "fampi");
  job.use(Family::failure_detection, "oracle");
  Registration made = *find_registration(Family::transactions, "fampi");
  made.make = [&bound](const OptionValues&, const JobShape& shape) -> ComponentFactory {
    const auto options = std::make_shared<const FampiOptions>(bound.options);
    return [options, shape](ActorId self) -> std::unique_ptr<Component> {
      if constexpr (std::is_same_v<Protocol, TakesPresumedForDecided>)
        return std::make_unique<TakesPresumedForDecided>(
            std::make_unique<Fampi>(options, shape, self));
      else
        return std::make_unique<Protocol>(options, shape, self);
    };
  };
  job.spec.components[index_of(Family::transactions)].registration = &made;
  exploration::ExplorationRequest request{.spec = exploration::explored_spec(job.spec),
                                          .faults = bound.faults,
                                          .victims = bound.victims,
                                          .timers = bound.timers};
  const exploration::ExplorationResult result = exploration::explore(request);
  CAPTURE(result.states, result.wall_s);
  if (result.refutation)
    return Found{result.refutation->violations.front().kind, result.refutation->steps.size()};
  CHECK(result.verdict == exploration::ExplorationResult::Verdict::exhausted);
  CHECK(result.ends.contains("finished"));
  if (bound.timers == exploration::TimerRule::any || !result.ends.contains("fatal-reported"))
    return {};
  request.goal = exploration::Goal{.name = "fatal-reported"};
  return Found{"fatal-reported", exploration::explore(request).reached->steps.size()};
}

/// The mistake shows within the bound, and FA-MPI without it is right there.
template <class Mutant>
void check_found(const Bound& bound, const Found& expected) {
  CHECK(found_in<Mutant>(bound) == expected);
  CHECK(found_in<Fampi>(bound) == std::nullopt);
}

}  // namespace

TEST_CASE("explored: agreements of FA-MPI that fail when somebody dies") {
  CHECK(found_in<SendsNothingAgain>({}) == Found{"fatal-reported", 10});
  CHECK(found_in<NewRootAsksNobody>({}) == Found{"fatal-reported", 11});
  CHECK(found_in<ForgetsDecisions>({}) == Found{"fatal-reported", 11});
  CHECK(found_in<Fampi>({}) == std::nullopt);
  CHECK(found_in<Fampi>({.faults = 2}) == std::nullopt);
}

// A rank waits for the outcome for longer than its patience while another one waits for a message
// of the dead.
TEST_CASE("explored: an FA-MPI that begins anew when it finishes again") {
  Bound bound{.sums = 1, .victims = {2}};
  bound.options.request_timeout_s = 1.5 * bound.options.wait_timeout_s;
  check_found<BeginsAnewWhenItFinishesAgain>(bound, {"fatal-reported", 15});
}

TEST_CASE("explored: an FA-MPI that invites nobody") {
  Bound bound{.sums = 1, .victims = {2}};
  bound.options.release = "invite";
  bound.options.request_timeout_s = 1e9;
  check_found<InvitesNobody>(bound, {"fatal-reported", 9});
}

// With patient timers, all have heard of a death before anybody is started again.
TEST_CASE("explored: an FA-MPI that mistakes late notices") {
  check_found<MistakesLateNotices>({.victims = {2}, .timers = exploration::TimerRule::any},
                                   {"inconsistent", 19});
}

TEST_CASE("explored: an FA-MPI that takes presumed for decided") {
  Bound bound{.sums = 1, .victims = {2}};
  bound.options.scope = "with-collective";
  check_found<TakesPresumedForDecided>(bound, {"inconsistent", 3});
}

// Rank 0 dies, and the others close ranks: what rank 1 had sent to rank 2 is in the new world a
// message from rank 0 to rank 1. Only a network without order delivers it so late.
TEST_CASE("explored: an FA-MPI that consumes what is stale") {
  Bound bound{.victims = {0},
              .steps = {"try", "exchange 8 B with +1", "finish"},
              .ordering = scenario::Ordering::unordered};
  bound.options.recovery = "merge";
  check_found<ConsumesWhatIsStale>(bound, {"wrong-state", 28});
}

TEST_CASE("explored: programs that a scenario states go on after any death") {
  Bound bound{.steps = {"try", "try local among 0-1", "exchange 8 B with +1 among 0-1", "finish",
                        "allreduce 8 B among 1-2", "finish"}};
  CHECK(found_in<Fampi>(bound) == std::nullopt);
  bound.steps = {"try", "allreduce 8 B", "finish", "try", "allreduce 8 B", "finish"};
  bound.victims = {1};
  CHECK(found_in<Fampi>(bound) == std::nullopt);
  bound.options.scope = "with-collective";
  CHECK(found_in<Fampi>(bound) == std::nullopt);
}

// Nobody is told of a death between two TryBlocks, where some wait for a message of the dead.
TEST_CASE("explored: a stated program that communicates outside of TryBlocks can hang") {
  const Bound bound{.victims = {2},
                    .steps = {"try", "finish", "exchange 8 B with +1", "try", "finish"}};
  CHECK(found_in<Fampi>(bound) == Found{"hung", 8});
}

TEST_CASE("explored: an FA-MPI whose recovery is not protected") {
  Bound bound{.faults = 2};
  bound.options.protect_recovery = false;
  CHECK(found_in<Fampi>(bound) == Found{"hung", 6});
}

}  // namespace faultline::transactions
