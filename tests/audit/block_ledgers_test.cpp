// SPDX-License-Identifier: Apache-2.0

// What the auditor holds programs of TryBlocks and their protocols to.

#include "sim/audit/block_ledgers.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/job.hpp"

namespace faultline::audit {

using namespace test;

namespace {

constexpr Incarnation kFirst{.actor = 0};
constexpr Incarnation kSecond{.actor = 1};
constexpr BlockOutcome kAccepted{.attempt = 1, .verdict = BlockVerdict::accepted};
constexpr BlockOutcome kRejected{.attempt = 1, .verdict = BlockVerdict::rejected};

BlockLedgers::IsAlive all_but(const std::set<Incarnation>& dead) {
  return [dead](Incarnation rank) { return dead.count(rank) == 0; };
}

/// Tells every other rank that its TryBlock is rejected, and goes on all the same.
class TwoFaced final : public RecoveryLayer {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<TwoFaced>(*this);
  }
  void on_request(RecoveryContext& context, const StackRequest& request) override {
    if (request.is<EnterWorld>())
      context.answer(request, WorldEntered{{}, 0, 0, 1});
    else if (request.is<StartBlock>())
      context.answer(request, BlockStarted{.attempt = request.get<StartBlock>().attempt});
    else if (request.is<WaitBlock>())
      context.answer(request, BlockOutcome{request.get<WaitBlock>().attempt,
                                           context.self() % 2 == 0 ? BlockVerdict::accepted
                                                                   : BlockVerdict::rejected});
    else if (request.is<LeaveWorld>())
      context.answer(request, LeaveWorld{});
  }

 private:
  void digest_state(Digest&) const override {}
};

}  // namespace

TEST_CASE(
    "survivors must learn the same outcome, and a rank that died with another one is an orphan") {
  BlockLedgers lied(2);
  CHECK(!lied.learned(kFirst, kAccepted, all_but({})));
  CHECK(lied.learned(kSecond, kRejected, all_but({})) ==
        "TryBlock 1 of world 0 is rejected at rank 1, and not at rank 0");
  BlockLedgers orphaned(2);
  CHECK(!orphaned.learned(kFirst, kAccepted, all_but({})));
  CHECK(!orphaned.learned(kSecond, kRejected, all_but({kFirst})));
  CHECK(orphaned.orphaned_decisions() == 1);
}

TEST_CASE("accepted means that the requests of all survivors have succeeded") {
  BlockLedgers ledgers(2);
  ledgers.finished(kFirst, {.attempt = 1, .errors = 2});
  ledgers.finished(kSecond, {.attempt = 1});
  CHECK(ledgers.learned(kSecond, kAccepted, all_but({})) ==
        "TryBlock 1 of world 0 is accepted at rank 1, although requests of rank 0 have not "
        "succeeded");
  BlockLedgers died(2);
  died.finished(kFirst, {.attempt = 1, .errors = 2});
  CHECK(!died.learned(kSecond, kAccepted, all_but({kFirst})));
}

TEST_CASE("the failed are dead, and as many as other survivors are told") {
  BlockLedgers ledgers(3);
  CHECK(ledgers.told(kFirst, 1, {1, kSecond}, all_but({})) ==
        "TryBlock 1 of world 0 is reported to have lost rank 1, which lives");
  CHECK(!ledgers.told(kFirst, 1, {1, kSecond}, all_but({kSecond})));
  CHECK(ledgers.told({.actor = 2}, 1, {2, kSecond}, all_but({kSecond})) ==
        "TryBlock 1 of world 0 has lost 2 processes as rank 2 is told, and 1 as rank 0 is told");
}

TEST_CASE("all enter a world at one iteration, and go back in it as they like") {
  BlockLedgers ledgers(2);
  const WorldEpoch next{.number = 1, .losses = 1};
  CHECK(!ledgers.entered(kFirst, {.epoch = next, .iteration = 4}));
  CHECK(ledgers.entered(kSecond, {.epoch = next, .iteration = 3}) ==
        "rank 1 enters world 1 at iteration 3, and another process at 4");
  CHECK(!ledgers.entered(kFirst, {.epoch = next, .iteration = 2}));
}

TEST_CASE("all processes that enter a world are told of the same ranks") {
  BlockLedgers ledgers(3);
  const WorldEntered next{.epoch = {.number = 1, .losses = 1}, .iteration = 4};
  const auto tell = [&](Incarnation rank, ActorId second) {
    ledgers.told_of(rank, {.actor = 0, .count = 1});
    ledgers.told_of(rank, {.actor = second, .count = 1});
    return ledgers.entered(rank, next);
  };
  CHECK(!tell(kFirst, 2));
  CHECK(!tell({.actor = 2}, 2));
  CHECK(tell(kSecond, 1) == "rank 1 enters world 1 with other ranks than another process");
  CHECK(ledgers.entered(kFirst, next) ==
        "rank 0 enters world 1 with other ranks than another process");
}

TEST_CASE("a protocol that tells ranks different outcomes is inconsistent") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4, quick_machine());
    job.workload("minife", {{"nx", std::int64_t{8}},
                            {"ny", std::int64_t{8}},
                            {"nz", std::int64_t{8}},
                            {"iterations", std::int64_t{1}}});
    job.own(Family::transactions, [](ActorId) { return std::make_unique<TwoFaced>(); });
    job.spec.stop.when = scenario::StopWhen::finished;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::inconsistent);
    REQUIRE(!seen.violations().empty());
    CHECK(seen.violations().front() == "inconsistent");
  }
}

}  // namespace faultline::audit
