// SPDX-License-Identifier: Apache-2.0

// The checkpoints of a world at one of its two ranks, without an engine.

#include "protocols/transactions/world_checkpoints.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/transaction_requests.hpp"
#include "tests/support/part_of_layer.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

constexpr std::uint64_t kSavedBytes = 1000;

JobShape two_saving_ranks() { return {.processes = 2, .nodes = 2}; }

WorldOptions saving_options(const std::string& checkpoint,
                            const std::string& recovery = "rebuild") {
  WorldOptions options;
  options.checkpoint = checkpoint;
  options.recovery = recovery;
  options.checkpoint_iterations = 2;
  return options;
}

struct SavingRank {
  WorldOptions options;
  PartOfLayer around;
  WorldMembers members;
  WorldCheckpoints checkpoints;

  SavingRank(Rank self, WorldOptions chosen)
      : options(std::move(chosen)),
        around(self, two_saving_ranks(), Family::transactions),
        members(2, self),
        checkpoints(options, two_saving_ranks(), self, true) {}
  SavingRank(const SavingRank&) = delete;
  SavingRank& operator=(const SavingRank&) = delete;
  ~SavingRank() = default;

  RecoveryContext& context() { return around.context(); }
  void save(std::uint64_t iteration, bool is_possible = true) {
    StackRequest request;
    request.kind = SaveCheckpoint::kRequest;
    request.content.put(SaveCheckpoint{iteration, 10 * iteration, kSavedBytes});
    checkpoints.save(context(), request, members, is_possible);
  }
  /// Has the program got its answer?
  bool goes_on() { return !around.take_requests().empty(); }
  Message only_sent() {
    const std::vector<Message> sent = around.take_sent();
    REQUIRE(sent.size() == 1);
    return sent.front();
  }
  /// Process 1 is replaced, and all go on from that checkpoint.
  void enter(std::uint64_t point, bool is_new = false) {
    members.enter({1, 1},
                  std::make_shared<const WorldNews>(WorldNews{World(2), {{{1, 1}}, {1}, 0}, 1}));
    checkpoints.enter(point, 1, is_new);
  }
};

/// Rank 1 saves, and rank 0 keeps a copy.
void save_with_copy(SavingRank& keeper, SavingRank& client, std::uint64_t iteration) {
  client.save(iteration);
  keeper.checkpoints.keep_copy(keeper.context(), client.only_sent(), keeper.members);
  client.checkpoints.on_copy_stored(client.context(), keeper.only_sent(), client.members);
}

}  // namespace

TEST_CASE("a checkpoint that is not due, or cannot be, keeps no program waiting") {
  SavingRank rank(0, saving_options("partner"));
  rank.save(1);
  CHECK(rank.goes_on());
  rank.save(2, false);
  CHECK(rank.goes_on());
  CHECK(rank.around.take_sent().empty());
  rank.save(2);
  CHECK(!rank.goes_on());
  CHECK(rank.only_sent().kind == WorldMessage::copy);
}

TEST_CASE("a checkpoint with a partner is complete when the partner keeps it") {
  SavingRank keeper(0, saving_options("partner"));
  SavingRank client(1, saving_options("partner"));
  save_with_copy(keeper, client, 2);
  CHECK(client.goes_on());
  CHECK(client.checkpoints.newest().iteration == 2);
  Ready ready;
  keeper.checkpoints.report_to(ready);
  REQUIRE(ready.held.size() == 1);
  CHECK(ready.held.front().rank == 1);
  CHECK(ready.held.front().iterations == std::vector<std::uint64_t>{2});
}

TEST_CASE("a checkpoint ends without a copy when the partner is dead") {
  SavingRank client(1, saving_options("partner"));
  client.save(2);
  CHECK(!client.goes_on());
  client.checkpoints.end_lost(client.context(), client.members, true);
  CHECK(!client.goes_on());  // another rank has died
  client.members.add_dead({0, 0});
  client.checkpoints.end_lost(client.context(), client.members, true);
  CHECK(client.goes_on());
  CHECK(client.checkpoints.newest().iteration == 0);
}

TEST_CASE(
    "a keeper gives a new process its data back, and renews the copy "
    "that was lost") {
  SavingRank keeper(0, saving_options("partner"));
  SavingRank client(1, saving_options("partner"));
  save_with_copy(keeper, client, 2);
  keeper.enter(2);
  keeper.checkpoints.give_back(keeper.context(), keeper.members);
  const Message data = keeper.only_sent();
  CHECK(data.kind == WorldMessage::restore);
  CHECK(data.to == 1);

  SavingRank fresh(1, saving_options("partner"));
  fresh.checkpoints.begin_life(fresh.context(), fresh.members);
  fresh.enter(2, true);
  CHECK(!fresh.checkpoints.fetch(fresh.context(), fresh.members));
  fresh.checkpoints.take_data(fresh.context(), data, fresh.members);
  CHECK(fresh.checkpoints.settle(fresh.members).state == 20);
  fresh.checkpoints.renew_copy(fresh.context(), fresh.members);
  CHECK(fresh.around.take_sent().empty());  // rank 0 has it
}

TEST_CASE(
    "what is written to a storage is there for the process that takes "
    "the rank's place") {
  SavingRank rank(1, saving_options("local"));
  rank.save(2);
  CHECK(!rank.goes_on());
  rank.checkpoints.on_written(rank.context(), rank.members);
  CHECK(rank.goes_on());
  rank.around.end_turn();
  // The next process of the same rank, on the same node.
  rank.checkpoints = WorldCheckpoints(rank.options, two_saving_ranks(), 1, true);
  rank.checkpoints.begin_life(rank.context(), rank.members);
  Ready ready;
  rank.checkpoints.report_to(ready);
  CHECK(ready.words.saved == 2);
}

TEST_CASE("a checkpoint in a common storage is complete when all ranks have theirs") {
  SavingRank root(0, saving_options("storage"));
  SavingRank below(1, saving_options("storage"));
  for (SavingRank* rank : {&root, &below}) {
    rank->save(2);
    rank->checkpoints.on_written(rank->context(), rank->members);
  }
  CHECK(!root.goes_on());
  root.checkpoints.on_step(root.context(), below.only_sent(), root.members);
  CHECK(root.goes_on());
  CHECK(!below.goes_on());
  below.checkpoints.on_step(below.context(), root.only_sent(), below.members);
  CHECK(below.goes_on());
}

TEST_CASE(
    "ranks whose place in the world has changed have the data of their "
    "new ranks") {
  // Rank 0 is lost for good, and process 1 moves down.
  for (const std::string recovery : {"merge", "shrink"}) {
    SavingRank rank(1, saving_options("partner", recovery));
    rank.members.add_dead({0, 0});
    const World next = rank.members.next(recovery);
    rank.members.enter({1, 1}, std::make_shared<const WorldNews>(WorldNews{next, {{}, {}, 1}, 1}));
    rank.checkpoints.enter(0, 1, false);
    CHECK(rank.checkpoints.fetch(rank.context(), rank.members));
    CHECK(rank.checkpoints.settle(rank.members).is_elsewhere);
    Ready ready;
    rank.checkpoints.report_to(ready);
    CHECK(ready.words.data_rank == 0);
    MetricTotals totals({&kSaveTime, &kMoved});
    rank.checkpoints.report(totals);
    CHECK(totals.value(kMoved) == 1.0);
  }
}

}  // namespace faultline::transactions
