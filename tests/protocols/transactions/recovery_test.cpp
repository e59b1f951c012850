// SPDX-License-Identifier: Apache-2.0

// The world of FA-MPI after deaths: which process has which rank, and whose data.

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/transaction_requests.hpp"
#include "sim/core/world.hpp"
#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

/// A program of one TryBlock, which is tried again after a recovery. It notes the ranks of each
/// world in which it goes on.
class Surveyor final : public Workload {
 public:
  explicit Surveyor(Job& job, std::uint32_t ranks) : job_(job), ranks_(ranks) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Surveyor>(*this);
  }
  void start(WorkloadContext& context) override { context.ask(Family::transactions, EnterWorld{}); }
  void on_answer(WorkloadContext& context, const StackRequest& answer) override {
    if (answer.is<WorldPart>()) {
      const auto part = answer.get<WorldPart>();
      told_.append(part.actor, part.count);
    } else if (answer.is<WorldEntered>()) {
      const World world = told_.size() > 0 ? told_ : World(ranks_);
      told_ = World(0);
      const auto number = answer.get<WorldEntered>().epoch.number;
      for (Rank rank = 0; rank < world.size(); ++rank)
        job_.note(context, "world " + std::to_string(number), world.actor_of(rank));
      const std::uint32_t attempt = 1;
      context.ask(Family::transactions, StartBlock{attempt});
      context.ask(Family::transactions, FinishBlock{.attempt = attempt});
      context.ask(Family::transactions, WaitBlock{attempt});
    } else if (answer.is<BlockOutcome>()) {
      if (answer.get<BlockOutcome>().verdict == BlockVerdict::accepted)
        context.ask(Family::transactions, LeaveWorld{});
      else
        context.ask(Family::transactions, RecoverWorld{});
    } else if (answer.is<LeaveWorld>()) {
      context.finish();
    }
  }

 private:
  void digest_state(Digest& into) const override { into.add(told_); }

  Job& job_;
  std::uint32_t ranks_;
  World told_{0};
};

using Actors = std::vector<std::int64_t>;

constexpr std::uint32_t kRanks = 6;

/// The processes of world 1, in the order of their ranks, as every one of them has noted it.
Actors world_after(const std::string& recovery, const std::vector<Rank>& lost,
                   scenario::EngineKind engine) {
  Job job(kRanks, quick_machine());
  job.own(Family::workload, [&job](ActorId) { return std::make_unique<Surveyor>(job, kRanks); },
          {.traits = WorkloadTraits{.finishes = true}});
  job.use(Family::transactions, "fampi", {{"recovery", recovery}});
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.platform.spare_nodes = 3;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.kill(1e-9, lost);
  const Seen seen = job.run(engine);
  CHECK(seen.result.outcome == engine::Outcome::finished);
  Actors actors = seen.values(lost.front() == 0 ? 5 : 0, "world 1");
  for (const std::int64_t actor : actors)
    CHECK(seen.values(static_cast<ActorId>(actor), "world 1") == actors);
  return actors;
}

void set_up_recovery(Job& job, const std::string& recovery,
                     const std::string& checkpoint = "partner") {
  if (recovery == "shrink")
    job.workload(
        "try-blocks",
        {{"iterations", std::int64_t{4}}, {"compute_s", 1e-5}, {"allreduces", std::int64_t{2}}});
  else
    job.workload("minife", {{"nx", std::int64_t{8}},
                            {"ny", std::int64_t{8}},
                            {"nz", std::int64_t{8}},
                            {"iterations", std::int64_t{4}}});
  job.use(Family::transactions, "fampi",
          {{"recovery", recovery},
           {"checkpoint", checkpoint},
           {"checkpoint_iterations", std::int64_t{1}}});
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.platform.spare_nodes = 3;
  job.spec.stop.when = scenario::StopWhen::finished;
}

double right_digest(std::uint32_t processes) {
  Job job(processes, quick_machine());
  set_up_recovery(job, "rebuild");
  return job.run().metric("state_digest");
}

}  // namespace

TEST_CASE("processes have the ranks of Fig. 1 of fampi-2015 after a recovery") {
  for (const scenario::EngineKind engine : engines()) {
    // (a), (b): those above the lost one move down, and the new process comes last.
    CHECK(world_after("merge", {2}, engine) == Actors{0, 1, 3, 4, 5, 2});
    CHECK(world_after("merge", {0, 3}, engine) == Actors{1, 2, 4, 5, 0, 3});
    // (c): everybody keeps its rank.
    CHECK(world_after("rebuild", {2}, engine) == Actors{0, 1, 2, 3, 4, 5});
    CHECK(world_after("shrink", {2}, engine) == Actors{0, 1, 3, 4, 5});
    CHECK(world_after("shrink", {4, 5}, engine) == Actors{0, 1, 2, 3});
  }
}

TEST_CASE("after a merge all survivors above the dead have moved, after a rebuild nobody has") {
  const double right = right_digest(6);
  for (const scenario::EngineKind engine : engines())
    for (const std::string recovery : {"rebuild", "merge"})
      for (const Rank victim : {0U, 2U, 5U}) {
        Job job(6, quick_machine());
        set_up_recovery(job, recovery);
        job.spec.faults.push_back(at_mark("contributed", 3, {victim}));
        const Seen seen = job.run(engine);
        INFO(recovery << " without " << victim);
        const bool merges = recovery == "merge";
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("state_digest") == right);
        CHECK(seen.metric("ranks_respawned") == 1.0);
        CHECK(seen.metric("ranks_moved") == (merges ? 5.0 - victim : 0.0));
        CHECK(seen.metric("respawned_rank") == (merges ? 5.0 : victim));
        // A process that has moved sends its data to the one that has its rank now. The copy of the
        // dead one's data is at the process after it, which has its rank after a merge.
        const bool is_there = merges && victim < 5;
        CHECK(seen.metric("control_messages.restore") ==
              (merges ? 5.0 - victim : 0.0) + (is_there ? 0.0 : 1.0));
      }
}

TEST_CASE("data that move take as long as messages of their size") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, quick_machine());
    job.workload("try-blocks", {{"iterations", std::int64_t{4}},
                                {"compute_s", 1e-5},
                                {"state_bytes", std::int64_t{50000000}}});
    job.use(Family::transactions, "fampi",
            {{"recovery", std::string("merge")},
             {"checkpoint", std::string("partner")},
             {"checkpoint_iterations", std::int64_t{1}}});
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
    job.spec.platform.spare_nodes = 1;
    job.spec.stop.when = scenario::StopWhen::finished;
    job.spec.faults.push_back(at_mark("contributed", 3, {1}));
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("restore_time_s") == Approx(0.05).epsilon(0.01));
  }
}

TEST_CASE("a program that can goes on with the ranks that are left, and their data") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string checkpoint : {"none", "partner"}) {
      Job job(6, quick_machine());
      set_up_recovery(job, "shrink", checkpoint);
      job.spec.platform.spare_nodes = 0;
      job.spec.faults.push_back(at_mark("contributed", 3, {0, 4}));
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      CHECK(seen.metric("state_difference") == 0.0);
      CHECK(seen.metric("failed_ranks") == 2.0);
      CHECK(seen.metric("ranks_respawned") == 0.0);
      CHECK(seen.metric("ranks_moved") == 4.0);
      CHECK(seen.metric("blocks_rejected") == 1.0);
      CHECK(seen.metric("control_messages.restore") == 0.0);
      CHECK(seen.metric("spawn_time_s") == 0.0);
    }
}

// They know nothing of each other, hear of each other's starts, and have no leader until the last
// of them has been started.
TEST_CASE("many processes that start at once call everybody once, and each other") {
  for (const std::string protocol : {"fampi", "ulfm", "relaunch"}) {
    constexpr std::uint32_t kRanks = 32;
    constexpr std::uint32_t kNew = 16;
    Job job(kRanks, quick_machine());
    job.spec.platform.processes_per_node = 8;
    job.spec.platform.spare_nodes = 2;
    job.workload("try-blocks", {{"iterations", std::int64_t{2}}, {"compute_s", 1e-5}});
    job.use(Family::transactions, protocol,
            {{protocol == "relaunch" ? "relaunch_s" : "spawn_s", 0.0}});
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-6}});
    job.spec.stop.when = scenario::StopWhen::finished;
    job.kill(1e-5, {}, {0, 1});
    const Seen seen = job.run();
    CAPTURE(protocol);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("ranks_respawned") == kNew);
    // One to each other rank, one more to each that starts later, and one to each leader named.
    CHECK(seen.metric("control_messages.ready") < kNew * (kRanks + 2 * kNew) + kRanks);
  }
}

TEST_CASE("spare nodes may fail while a process starts there, as long as one is left") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi", "ulfm", "relaunch"})
      for (const std::uint32_t failing : {2U, 3U}) {
        Job job(4, quick_machine());
        job.workload("try-blocks", {{"iterations", std::int64_t{4}}, {"compute_s", 1e-5}});
        job.use(Family::transactions, protocol,
                {{protocol == "relaunch" ? "relaunch_s" : "spawn_s", 0.0}});
        job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-6}});
        job.spec.platform.spare_nodes = 3;
        job.spec.platform.restart_delay_s = 1e-3;
        job.spec.stop.when = scenario::StopWhen::finished;
        job.kill(1e-5, {2});
        for (std::uint32_t node = 0; node < failing; ++node)
          job.kill(5e-4 + 1e-3 * node, {}, {4 + node});
        const Seen seen = job.run(engine);
        CAPTURE(engine_word(engine), protocol, failing, seen.result.fatal_reason);
        CHECK(seen.result.outcome ==
              (failing < 3 ? engine::Outcome::finished : engine::Outcome::fatal_reported));
        CHECK(seen.violations().empty());
        CHECK(seen.metric("end_time_s") > 3e-3);
        CHECK(seen.metric("end_time_s") < 4e-3);
      }
}

TEST_CASE("a world without a node for each of the dead waits for the first repair, or gives up") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi", "ulfm", "relaunch"})
      for (const auto no_spare : {scenario::WhenNoSpare::wait, scenario::WhenNoSpare::give_up}) {
        Job job(4, quick_machine());
        job.workload("try-blocks", {{"iterations", std::int64_t{4}}, {"compute_s", 1e-5}});
        job.use(Family::transactions, protocol,
                {{protocol == "relaunch" ? "relaunch_s" : "spawn_s", 0.0}});
        job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-6}});
        job.spec.platform.spare_nodes = 1;
        job.spec.platform.when_no_spare = no_spare;
        job.spec.stop.when = scenario::StopWhen::finished;
        for (const NodeId node : {2U, 3U}) {
          faults::FaultSpec fault;
          fault.time_s = 1e-5;
          fault.nodes = {node};
          fault.repair_s = node;
          job.spec.faults.push_back(fault);
        }
        const Seen seen = job.run(engine);
        const bool waits = no_spare == scenario::WhenNoSpare::wait;
        CAPTURE(engine_word(engine), protocol, waits, seen.result.fatal_reason);
        CHECK(seen.result.outcome ==
              (waits ? engine::Outcome::finished : engine::Outcome::fatal_reported));
        CHECK(seen.violations().empty());
        CHECK((seen.metric("end_time_s") > 2) == waits);
        CHECK(seen.metric("end_time_s") < 2.1);
      }
}

TEST_CASE("a death at any stage of a merge or of shrinking is survived") {
  const double right = right_digest(6);
  for (const scenario::EngineKind engine : engines())
    for (const std::string recovery : {"merge", "shrink"})
      for (const std::string mark :
           {"contributed", "decided", "spawn", "join", "restore", "resume"})
        for (const std::int64_t value : {0, 1, 2})
          for (const Rank victim : {0U, 3U, 5U}) {
            INFO(recovery << ", " << mark << " " << value << " of " << victim);
            Job job(6, quick_machine());
            set_up_recovery(job, recovery);
            job.spec.faults.push_back(at_mark("contributed", 2, {3}));
            job.spec.faults.push_back(at_mark(mark, value, {victim}));
            const Seen seen = job.run(engine);
            CHECK(seen.result.outcome == engine::Outcome::finished);
            CHECK(seen.violations().empty());
            CHECK(seen.metric("state_difference") == 0.0);
            if (recovery == "merge") CHECK(seen.metric("state_digest") == right);
          }
}

TEST_CASE("a death during a recovery that no TryBlock protects can leave the others waiting") {
  const auto outcome_of = [](scenario::EngineKind engine, bool is_protected,
                             const std::string& mark, Rank victim) {
    Job job(6, quick_machine());
    set_up_recovery(job, "rebuild");
    job.use(Family::transactions, "fampi",
            {{"checkpoint", std::string("partner")},
             {"checkpoint_iterations", std::int64_t{1}},
             {"protect_recovery", is_protected}});
    job.spec.faults.push_back(at_mark("contributed", 2, {3}));
    job.spec.faults.push_back(at_mark(mark, 1, {victim}));
    const Seen seen = job.run(engine);
    if (is_protected) CHECK(seen.violations().empty());
    return seen.result.outcome;
  };
  for (const scenario::EngineKind engine : engines()) {
    // Its leader asks for a new process and dies: nobody puts a world together.
    CHECK(outcome_of(engine, true, "spawn", 0) == engine::Outcome::finished);
    CHECK(outcome_of(engine, false, "spawn", 0) == engine::Outcome::hung);
    // The new process dies before it has its data: the others go on, and lose it again.
    CHECK(outcome_of(engine, false, "resume", 5) == engine::Outcome::finished);
  }
}

TEST_CASE(
    "an unprotected recovery without a further death is as long as a protected one less a commit") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string recovery : {"rebuild", "merge"}) {
      const auto run = [&](bool is_protected) {
        Job job(6, quick_machine());
        set_up_recovery(job, recovery);
        job.use(Family::transactions, "fampi",
                {{"recovery", recovery},
                 {"checkpoint", std::string("partner")},
                 {"checkpoint_iterations", std::int64_t{1}},
                 {"protect_recovery", is_protected}});
        job.spec.faults.push_back(at_mark("contributed", 3, {2}));
        Seen seen = job.run(engine);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.metric("state_digest") == right_digest(6));
        return seen;
      };
      const Seen with = run(true);
      const Seen without = run(false);
      CHECK(with.metric("control_messages.up") - without.metric("control_messages.up") == 5.0);
      CHECK(with.metric("recovery_time_s") > without.metric("recovery_time_s"));
    }
}

namespace {

/// `fampi` loses rank 4, and the leader of the recovery when it enters the next world.
Seen seen_without_leader(const std::string& detector, const OptionValues& options,
                         std::uint64_t seed) {
  Job job(6, quick_machine());
  set_up_recovery(job, "shrink");
  job.use(Family::transactions, "fampi");
  job.use(Family::failure_detection, detector, options);
  job.spec.platform.processes_per_node = 2;
  job.spec.platform.ordering = scenario::Ordering::unordered;
  job.spec.platform.unordered_delay_s = 1e-6;
  job.spec.stop.time_s = 1000;
  job.kill(1e-5, {4});
  job.spec.faults.push_back(at_mark("join", 1, {0}));
  return job.run(scenario::EngineKind::loggp, seed);
}

}  // namespace

// A new process of another rank can reach it before the notice that its leader has died. If that
// new process has the leader's rank, the notice is late then.
TEST_CASE("a new process takes another leader when it hears of its leader's successor first") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Seen seen = seen_without_leader("ulfm", {{"heartbeat_period_s", 1e-3}}, seed);
    CAPTURE(seed);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("ranks_respawned") == 2.0);
  }
}

// The others hear of the leader's death up to 10 ms later, and name it until then.
TEST_CASE("a new process calls all once, however long the others follow a leader that has died") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Seen seen = seen_without_leader("oracle", {{"delay_s", 1e-6}, {"spread_s", 1e-2}}, seed);
    CAPTURE(seed);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("control_messages.ready") < 50);
  }
}

namespace {

/// At that time, a process is told that another one is dead.
struct Notice {
  double time_s;
  Incarnation listener;
  Incarnation dead;
};

/// A detector that reports deaths when the test tells it to.
void tell_of_deaths(Job& job, const std::vector<Notice>& notices) {
  job.script(Family::failure_detection, [notices](ActorId) {
    Handlers handlers;
    handlers.start = [notices](ScriptContext& context) {
      const Incarnation self{context.self(), context.incarnation()};
      for (std::size_t notice = 0; notice < notices.size(); ++notice)
        if (notices[notice].listener == self)
          context.set_timer(notice, notices[notice].time_s - context.now_s());
    };
    handlers.timer = [notices](ScriptContext& context, std::uint64_t notice) {
      context.report_failed(notices[notice].dead);
    };
    return handlers;
  });
}

}  // namespace

// Rank 3 dies, and so does the process that takes its place, when it has reported that it is ready.
// Rank 1 has it replaced once more and dies. Rank 2, which leads then, asks for the same, is told
// at once of the third process of rank 3, and makes a world with it; it needs no further one.
TEST_CASE("the leader after a death hears at once of processes that the dead one had asked for") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5, quick_machine());
    job.own(Family::workload, [&job](ActorId) { return std::make_unique<Surveyor>(job, 5); },
            {.traits = WorkloadTraits{.finishes = true}});
    job.use(Family::transactions, "fampi", {{"wait_timeout_s", 1e9}});
    job.spec.platform.spare_nodes = 5;
    job.spec.platform.restart_delay_s = 1e-3;
    job.spec.stop.when = scenario::StopWhen::finished;
    job.spec.stop.time_s = 1.0;
    const Incarnation second_of_3{3, 1};
    std::vector<Notice> notices;
    for (const Rank rank : {0U, 1U, 2U, 4U}) notices.push_back({1e-3, {rank}, {3}});
    notices.push_back({2.5e-3, second_of_3, {0}});
    notices.push_back({4.0e-3, {1}, {0}});
    notices.push_back({4.0e-3, {1}, second_of_3});
    for (const Rank rank : {2U, 4U})
      for (const ActorId dead : {0U, 1U}) notices.push_back({6.0e-3, {rank}, {dead}});
    notices.push_back({6.5e-3, {0, 1}, {1}});
    notices.push_back({10e-3, {3, 2}, {1}});
    for (const Rank rank : {2U, 4U}) notices.push_back({20e-3, {rank}, second_of_3});
    tell_of_deaths(job, notices);
    job.kill(1e-9, {3});
    job.kill(1.5e-3, {0});
    job.kill(3.0e-3, {3});
    job.kill(4.5e-3, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.values(2, "world 1") == Actors{0, 1, 2, 3, 4});
    CHECK(seen.values(2, "world 2").empty());
  }
}

}  // namespace faultline::transactions
