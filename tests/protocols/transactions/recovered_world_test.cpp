// SPDX-License-Identifier: Apache-2.0

// How ranks put a world together after a death, without an engine: whatever a rank asks for happens
// at once, but for what the test does itself.

#include "protocols/transactions/recovered_world.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/transaction_requests.hpp"
#include "tests/support/part_of_layer.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

constexpr std::uint32_t kRecoveringRanks = 3;

JobShape three_recovering_ranks() {
  return {.processes = kRecoveringRanks, .nodes = kRecoveringRanks, .spare_nodes = 1};
}

/// One process, whose protocol regroups at each death, and goes on as soon as it can.
struct RecoveringProcess final : WorldSteps {
  PartOfLayer around;
  RecoveredWorld world;
  std::string steps;                   ///< d: death, w: world, r: data restored, m: own message
  std::vector<StackRequest> answers;   ///< to its program
  std::vector<Incarnation> restarted;  ///< that it has asked for

  RecoveringProcess(Incarnation self, const WorldOptions& options)
      : around(self.actor, three_recovering_ranks(), Family::transactions),
        world(options, three_recovering_ranks(), self.actor, true) {
    around.set_incarnation(self.number);
    world.start(around.context());
    StackRequest enter;
    enter.kind = EnterWorld::kRequest;
    enter.content.put(EnterWorld{});
    world.on_request(around.context(), enter, *this);
  }

  void on_death(RecoveryContext& context, ActorId) override {
    steps += "d";
    world.regroup(context, *this);
  }
  void on_world(RecoveryContext& context) override {
    steps += "w";
    world.give_back(context);
    world.restore(context, *this);
  }
  void on_data(RecoveryContext& context) override {
    steps += "r";
    world.resume(context, *this);
  }
  void on_message(RecoveryContext& context, const Message& message) override {
    if (message.kind < WorldMessage::kinds) return world.on_message(context, message, *this);
    steps += "m";
  }

  void hears_of(Incarnation dead) { world.on_peer_failed(around.context(), dead, *this); }
  void learns(Incarnation life) {
    around.learn(life);
    world.on_peer_restarted(around.context(), life, *this);
  }
  /// The worlds that its program has entered.
  [[nodiscard]] std::vector<std::uint32_t> entered() const {
    std::vector<std::uint32_t> numbers;
    for (const StackRequest& answer : answers)
      if (answer.is<WorldEntered>()) numbers.push_back(answer.get<WorldEntered>().epoch.number);
    return numbers;
  }
};

struct RecoveringJob {
  WorldOptions options;
  std::vector<std::unique_ptr<RecoveringProcess>> processes;

  explicit RecoveringJob(const std::string& recovery = "rebuild",
                         const std::string& over = "star") {
    options.recovery = recovery;
    options.rebuild_over = over;
    for (Rank rank = 0; rank < kRecoveringRanks; ++rank)
      processes.push_back(std::make_unique<RecoveringProcess>(Incarnation{rank, 0}, options));
    run();
  }
  RecoveringProcess& operator[](Rank rank) { return *processes[rank]; }
  /// That process is dead. What it has sent is still under way.
  void kill(Rank rank) { processes[rank].reset(); }
  void start(Incarnation life) {
    processes[life.actor] = std::make_unique<RecoveringProcess>(life, options);
  }
  void all_hear_of(Incarnation dead) {
    for (const auto& process : processes)
      if (process) process->hears_of(dead);
  }
  /// Until nobody has anything to do.
  void run() {
    bool any = true;
    while (any) {
      any = false;
      for (Rank rank = 0; rank < kRecoveringRanks; ++rank)
        any = (processes[rank] && step(*processes[rank])) || any;
    }
  }

 private:
  bool step(RecoveringProcess& process) {
    RecoveryContext& context = process.around.context();
    bool any = false;
    for (const Action& action : process.around.take_actions()) {
      any = true;
      if (const auto* timer = std::get_if<Action::SetTimer>(&action.request))
        process.world.on_timer(context, timer->key, process);
      if (const auto* learns = std::get_if<Action::Learn>(&action.request))
        process.learns(learns->peer);
      if (const auto* restart = std::get_if<Action::Restart>(&action.request))
        process.restarted.push_back(restart->dead);
    }
    for (const StackRequest& request : process.around.take_requests()) {
      any = true;
      if (request.is_answer)
        process.answers.push_back(request);
      else
        process.world.on_request(context, request, process);
    }
    for (const Message& message : process.around.take_sent()) {
      any = true;
      if (RecoveringProcess* to = processes[message.to].get())
        to->world.on_message(to->around.context(), message, *to);
    }
    return any;
  }
};

}  // namespace

TEST_CASE(
    "the first live rank has the dead started again, and all enter one "
    "new world") {
  for (const std::string over : {"star", "tree"}) {
    RecoveringJob job("rebuild", over);
    job.kill(2);
    job.all_hear_of({2, 0});
    job.run();
    CHECK(job[0].restarted == std::vector<Incarnation>{{2, 0}});
    CHECK(job[1].restarted.empty());
    CHECK(job[1].world.phase() == WorldPhase::regrouping);
    job.start({2, 1});
    job[0].learns({2, 1});
    job.run();
    for (Rank rank = 0; rank < kRecoveringRanks; ++rank) {
      CHECK(job[rank].world.phase() == WorldPhase::running);
      CHECK(job[rank].world.members().epoch() == WorldEpoch{1, 1});
      CHECK(job[rank].world.members().life_of(2) == 1);
      CHECK(job[rank].entered().back() == 1);
    }
    CHECK(job[0].steps == "dwr");
    CHECK(job[2].steps == "wr");
  }
}

TEST_CASE("a world that shrinks needs no new process, and its ranks move down") {
  RecoveringJob job("shrink");
  job.kill(0);
  job.all_hear_of({0, 0});
  job.run();
  CHECK(job[1].restarted.empty());
  for (const Rank rank : {1U, 2U}) {
    CHECK(job[rank].world.phase() == WorldPhase::running);
    CHECK(job[rank].world.members().rank() == rank - 1);
  }
}

TEST_CASE(
    "if the leader dies while it leads, the next rank puts the world "
    "together") {
  RecoveringJob job;
  job.kill(2);
  job.all_hear_of({2, 0});
  job.run();
  job.kill(0);
  job.all_hear_of({0, 0});
  job.run();
  CHECK(job[1].restarted == std::vector<Incarnation>{{0, 0}, {2, 0}});
  for (const Rank rank : {0U, 2U}) {
    job.start({rank, 1});
    job[1].learns({rank, 1});
  }
  job.run();
  for (Rank rank = 0; rank < kRecoveringRanks; ++rank)
    CHECK(job[rank].world.members().epoch() == WorldEpoch{1, 2});
}

TEST_CASE(
    "a rank that was not told of the world hears of it when it says that "
    "it is ready") {
  RecoveringJob job;
  job.kill(2);
  for (const Rank rank : {0U, 1U}) job[rank].hears_of({2, 0});
  job.run();
  job.start({2, 1});
  job[0].learns({2, 1});
  job.run();
  // A process that was started before, and whose call comes late, gets the news again.
  job.start({2, 1});
  job[2].hears_of({0, 0});
  CHECK(job[2].world.phase() == WorldPhase::spawned);
  job.run();
  CHECK(job[2].world.members().epoch() == WorldEpoch{1, 1});
}

TEST_CASE(
    "a late notice of a death does not concern the process that has "
    "taken the place") {
  RecoveringJob job;
  job.kill(2);
  job.all_hear_of({2, 0});
  job.run();
  job.start({2, 1});
  job[0].learns({2, 1});
  job.run();
  job[1].hears_of({2, 0});
  CHECK(job[1].world.phase() == WorldPhase::running);
  CHECK(job[1].world.members().dead().empty());
  job[1].hears_of({2, 1});
  CHECK(job[1].world.phase() == WorldPhase::regrouping);
}

TEST_CASE("deaths wait while a recovery whose calls block is under way") {
  RecoveringJob job;
  job.options.protect_recovery = false;
  job.kill(2);
  job[1].hears_of({2, 0});
  job[1].hears_of({0, 0});
  CHECK(job[1].world.members().dead() == std::vector<Incarnation>{{2, 0}});
}

TEST_CASE("a message of the protocol for a later world comes again in that world") {
  RecoveringJob job;
  Message early;
  early.kind = WorldMessage::kinds;
  CHECK(!job[0].world.belongs_elsewhere(early, WorldEpoch{}));
  CHECK(job[0].world.belongs_elsewhere(early, WorldEpoch{1, 1}));
  job.kill(2);
  job.all_hear_of({2, 0});
  job.run();
  job.start({2, 1});
  CHECK(job[2].world.belongs_elsewhere(early, WorldEpoch{}));  // it is in no world
  job[0].learns({2, 1});
  job.run();
  CHECK(job[0].steps == "dwrm");
  CHECK(job[1].steps == "dwr");
  CHECK(job[0].world.belongs_elsewhere(early, WorldEpoch{}));  // of a world that is over
}

}  // namespace faultline::transactions
