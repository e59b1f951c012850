// SPDX-License-Identifier: Apache-2.0

// ULFM's recovery on both engines: its costs, and deaths at every stage.

#include "protocols/transactions/ulfm_recovery.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "protocols/transactions/revoke_graph.hpp"
#include "tests/support/job.hpp"
#include "tests/support/pass_through.hpp"
#include "tests/support/schedules.hpp"

namespace faultline::transactions {

using namespace test;
using Catch::Matchers::Contains;

namespace {

/// Ulfm with a detector and spare nodes.
void serve(Job& job, const OptionValues& ulfm = {}) {
  job.use(Family::transactions, "ulfm", ulfm);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.platform.spare_nodes = 3;
  job.spec.stop.when = scenario::StopWhen::finished;
}

/// MiniFE under ulfm, on nodes of one rank.
void set_up(Job& job, const OptionValues& ulfm = {}, std::int64_t iterations = 4) {
  constexpr std::int64_t kRows = 11;
  job.workload("minife", {{"nx", kRows}, {"ny", kRows}, {"nz", kRows}, {"iterations", iterations}});
  serve(job, ulfm);
}

double right_digest(std::uint32_t processes) {
  Job job(processes, quick_machine());
  set_up(job);
  return job.run().metric("state_digest");
}

std::uint32_t log2_of(std::uint32_t ranks) {
  return static_cast<std::uint32_t>(std::bit_width(ranks)) - 1;
}

/// In how many of these runs with late messages, made wrong or not, the program goes wrong. Some
/// messages come after a recovery that began when they were on their way.
int wrong_runs_with_late_messages(int runs, const lemmas::Mutation& make_wrong) {
  int wrong = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    Job job(6, quick_machine());
    set_up(job,
           {{"checkpoint", std::string("partner")}, {"checkpoint_iterations", std::int64_t{1}}}, 6);
    job.spec.platform.ordering = scenario::Ordering::unordered;
    job.spec.platform.delay_noise =
        scenario::DelayNoise{.law = scenario::DelayLaw::pareto, .mean_s = 1e-4, .shape = 1.2};
    job.kill(1e-4 + 2e-5 * seed, {3});
    make_wrong(job.spec);
    const Seen seen = job.run(scenario::EngineKind::loggp, static_cast<std::uint64_t>(seed));
    if (seen.result.outcome != engine::Outcome::finished) ++wrong;
  }
  return wrong;
}

/// Hears of no revocation, and passes none on.
class HearsNoRevoke final : public PassThrough<HearsNoRevoke, RecoveryLayer> {
 public:
  using PassThrough::PassThrough;
  void on_message(RecoveryContext& context, const Message& message) override {
    if (message.kind != UlfmRecovery::kRevoke) PassThrough::on_message(context, message);
  }
};

/// Takes messages of earlier worlds for such of its own.
class ConsumesTheStale final : public PassThrough<ConsumesTheStale, RecoveryLayer> {
 public:
  using PassThrough::PassThrough;
  void on_sends(RecoveryContext& context, std::span<Message* const> batch,
                bool still_active) override {
    PassThrough::on_sends(context, batch, still_active);
    for (const Message* message : batch) own_ = message->transactions.get<WorldEpoch>();
  }
  Passage on_receive(RecoveryContext& context, Message& message) override {
    if (message.transactions.get<WorldEpoch>() < own_) message.transactions.put(own_);
    return PassThrough::on_receive(context, message);
  }

 private:
  void digest_state(Digest& into) const override {
    PassThrough::digest_state(into);
    into.add(own_);
  }
  WorldEpoch own_;
};

}  // namespace

TEST_CASE("a revocation of a world in which all live is 2 N log2 N messages") {
  const auto nobody = [](Rank) { return false; };
  for (std::uint32_t ranks = 1; ranks <= 1024; ++ranks) {
    std::size_t messages = 0;
    for (Rank rank = 0; rank < ranks; ++rank)
      messages += revoke_targets(rank, ranks, nobody).size();
    CHECK(messages == 2UL * ranks * log2_of(ranks));
  }
}

TEST_CASE("a revocation goes round whoever is known to be dead") {
  const std::set<Rank> dead{3, 4, 7, 15};
  const auto is_dead = [&](Rank rank) { return dead.contains(rank); };
  // +1, -1 (rank 1 lives), +2 and -2, +4, -4, and half of the ranks twice.
  CHECK(revoke_targets(2, 16, is_dead) == std::vector<Rank>{5, 1, 0, 6, 14, 10, 10});
  CHECK(next_alive(0, 16, false, is_dead) == 14);
}

TEST_CASE("a death is followed by one revocation, in which each survivor takes part once") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t ranks : {2U, 3U, 4U, 8U, 13U, 64U, 256U, 1024U}) {
      if (engine == scenario::EngineKind::simgrid && ranks > 64) continue;
      Job job(ranks, quick_machine());
      serve(job);
      job.workload(
          "try-blocks",
          {{"iterations", std::int64_t{2}}, {"compute_s", 1e-4}, {"allreduces", std::int64_t{2}}});
      job.kill(2e-5, {ranks / 2});
      const Seen seen = job.run(engine);
      INFO(ranks << " ranks");
      CHECK(seen.result.outcome == engine::Outcome::finished);
      // Nobody sends to the dead rank, which would hear at all distances but 1 from both sides.
      const double levels = log2_of(ranks);
      const double expected = 2.0 * (ranks - 1) * levels - 2.0 * (levels - 1);
      CHECK(seen.metric("control_messages.revoke") == (ranks == 2 ? 0.0 : expected));
      CHECK(seen.metric("shrinks") == 1.0);
      CHECK(seen.metric("timeouts") == 0.0);
    }
}

TEST_CASE("without faults an agreement of 2 (P - 1) messages ends each TryBlock, and that is all") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t processes : {1U, 2U, 7U, 16U}) {
      Job job(processes, quick_machine());
      set_up(job);
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.metric("control_messages") == 4 * 2.0 * (processes - 1));
      CHECK(seen.metric("blocks_committed") == 4.0);
      CHECK(seen.metric("shrinks") == 0.0);
    }
}

TEST_CASE("a rank that dies is replaced after one shrink, and all go on from the last checkpoint") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string checkpoint : {"none", "partner"}) {
      Job job(6, quick_machine());
      set_up(job, {{"checkpoint", checkpoint}, {"checkpoint_iterations", std::int64_t{1}}});
      job.kill(1.2e-4, {4});
      const Seen seen = job.run(engine);
      INFO(checkpoint);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      CHECK(seen.metric("state_digest") == right_digest(6));
      CHECK(seen.metric("ranks_respawned") == 1.0);
      CHECK(seen.metric("blocks_rejected") == 1.0);
      CHECK(seen.metric("shrinks") == 1.0);
      CHECK(seen.metric("control_messages.ready") == 5.0);
      CHECK(seen.metric("control_messages.world") == 5.0);
      CHECK(seen.metric("control_messages.restore") == (checkpoint == "partner" ? 1.0 : 0.0));
      CHECK(seen.metric("revoke_time_s") > 0.0);
      CHECK(seen.metric("shrink_time_s") > seen.metric("revoke_time_s"));
    }
}

TEST_CASE("a death at any stage of ulfm is survived, of any rank and of the new process") {
  const double right = right_digest(6);
  for (const scenario::EngineKind engine : engines())
    for (const std::string mark : {"contributed", "decided", "revoke", "shrink", "spawn", "join",
                                   "restore", "resume", "checkpoint"})
      for (const std::int64_t value : {0, 1, 2})
        for (const Rank victim : {0U, 3U, 5U}) {
          INFO(mark << " " << value << " of " << victim);
          Job job(6, quick_machine());
          set_up(job, {{"checkpoint", std::string("partner")},
                       {"checkpoint_iterations", std::int64_t{1}}});
          job.kill(1.2e-4, {3});
          job.spec.faults.push_back(at_mark(mark, value, {victim}));
          const Seen seen = job.run(engine);
          CHECK(seen.result.outcome == engine::Outcome::finished);
          CHECK(seen.violations().empty());
          CHECK(seen.metric("state_digest") == right);
        }
}

TEST_CASE("ulfm moves ranks down when it merges, and goes on with fewer when it shrinks") {
  for (const scenario::EngineKind engine : engines()) {
    Job merges(6, quick_machine());
    set_up(merges, {{"recovery", std::string("merge")},
                    {"checkpoint", std::string("partner")},
                    {"checkpoint_iterations", std::int64_t{1}}});
    merges.kill(1.2e-4, {2});
    const Seen merged = merges.run(engine);
    CHECK(merged.result.outcome == engine::Outcome::finished);
    CHECK(merged.metric("state_digest") == right_digest(6));
    CHECK(merged.metric("ranks_moved") == 3.0);
    CHECK(merged.metric("respawned_rank") == 5.0);
    Job shrinks(6, quick_machine());
    serve(shrinks, {{"recovery", std::string("shrink")}});
    shrinks.workload(
        "try-blocks",
        {{"iterations", std::int64_t{4}}, {"compute_s", 1e-4}, {"allreduces", std::int64_t{2}}});
    shrinks.kill(1.2e-4, {2});
    const Seen fewer = shrinks.run(engine);
    CHECK(fewer.result.outcome == engine::Outcome::finished);
    CHECK(fewer.violations().empty());
    CHECK(fewer.metric("ranks_respawned") == 0.0);
    CHECK(fewer.metric("spawn_time_s") == 0.0);
  }
}

TEST_CASE("a death that a later agreement of a shrink finds makes it begin again") {
  const double right = right_digest(6);
  int begun_again = 0;
  double once_s = 0.0;
  for (int step = 0; step < 40; ++step) {
    Job job(6, quick_machine());
    set_up(job, {{"spawn_s", 1e-3}});
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-6}});
    job.kill(1.2e-4, {3}).kill(1.2e-4 + 2e-6 * step, {5});
    const Seen seen = job.run();
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("state_digest") == right);
    const double shrink_time_s = seen.metric("shrink_time_s");
    if (step == 0) once_s = shrink_time_s;  // both are dead
    // Else, one shrink has found both, or there were two, one for each.
    if (seen.metric("shrinks") == 2.0 && shrink_time_s > 1.2 * once_s) ++begun_again;
  }
  CHECK(begun_again > 3);
}

TEST_CASE("a death while the world is put together makes the others shrink it once more") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string mark : {"spawn", "join"}) {
      Job job(6, quick_machine());
      set_up(job, {{"spawn_s", 1e-3}});
      job.kill(1.2e-4, {3});
      job.spec.faults.push_back(at_mark(mark, 1, {5}));
      const Seen seen = job.run(engine);
      INFO(mark);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.metric("shrinks") == 2.0);
      CHECK(seen.metric("ranks_respawned") == 2.0);
      CHECK(seen.metric("state_digest") == right_digest(6));
    }
}

TEST_CASE("without a node for a new process, or with both copies lost, the job gives up") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"ulfm", "fampi"}) {
      INFO(protocol);
      Job alone(4, quick_machine());
      set_up(alone);
      alone.use(Family::transactions, protocol, {});
      alone.spec.platform.spare_nodes = 0;
      alone.kill(5e-5, {2});
      const Seen none = alone.run(engine);
      CHECK(none.result.outcome == engine::Outcome::fatal_reported);
      CHECK(none.result.fatal_reason ==
            "no node is left for a process that takes the place of a dead one");
      // The copy of rank r is at rank r + 1.
      Job lost(6, quick_machine());
      set_up(lost);
      lost.use(
          Family::transactions, protocol,
          {{"checkpoint", std::string("partner")}, {"checkpoint_iterations", std::int64_t{1}}});
      lost.spec.faults.push_back(at_mark("contributed", 4, {2, 3}));
      const Seen both = lost.run(engine);
      CHECK(both.result.outcome == engine::Outcome::fatal_reported);
      CHECK(both.result.fatal_reason == "both copies of a checkpoint are lost");
    }
}

TEST_CASE("the copy of a process that has died before it got its data is still good") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"ulfm", "fampi"}) {
      Job job(6, quick_machine());
      set_up(job);
      job.use(Family::transactions, protocol,
              {{"checkpoint", std::string("partner")}, {"checkpoint_iterations", std::int64_t{1}}});
      job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-6}});
      job.spec.faults.push_back(at_mark("contributed", 4, {3}));
      // Neither of them keeps the checkpoint of the other, or is kept by the other's keeper.
      job.spec.faults.push_back(at_mark("join", 1, {0}));
      const Seen seen = job.run(engine);
      INFO(protocol);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.metric("ranks_respawned") == 2.0);
      CHECK(seen.metric("state_digest") == right_digest(6));
      CHECK(seen.metric("redone_iterations") <= 1.0);
    }
}

TEST_CASE("a new process of ulfm starts after the time that a spawn takes") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, quick_machine());
    set_up(job, {{"spawn_s", 3.0}, {"spawn", std::string("same-node")}});
    job.spec.faults.push_back(at_mark("contributed", 1, {4}));
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("spawn_time_s") == Approx(3.0).epsilon(1e-4));
    CHECK(seen.metric("recovery_time_s") == Approx(3.0).epsilon(1e-4));
  }
}

TEST_CASE("without revocation a rank waits for ever, which the search finds") {
  Registration wrong;
  const std::string found = found_in_mutant(
      subject_named(Family::transactions, "ulfm"),
      [&](scenario::RunSpec& spec) {
        make_mistaken<HearsNoRevoke>(spec, Family::transactions, wrong);
      },
      300);
  CHECK_THAT(found, Contains("hung"));
}

TEST_CASE("what was sent before a recovery and comes after it is not consumed, or leads astray") {
  CHECK(wrong_runs_with_late_messages(200, [](scenario::RunSpec&) {}) == 0);
  Registration wrong;
  CHECK(wrong_runs_with_late_messages(200, [&](scenario::RunSpec& spec) {
          make_mistaken<ConsumesTheStale>(spec, Family::transactions, wrong);
        }) > 0);
}

}  // namespace faultline::transactions
