// SPDX-License-Identifier: Apache-2.0

// What is stored outlives processes, and their nodes if it is not on one.

#include <catch2/catch.hpp>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "sim/engine/storage/stable_storage.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr std::uint64_t kShared = 1;
constexpr std::uint64_t kOfNode = 2;

void note_stored(Job& job, const ScriptContext& context) {
  const auto first = [](const std::vector<std::uint64_t>& words) {
    return words.empty() ? std::int64_t{0} : static_cast<std::int64_t>(words.front());
  };
  job.note(context, "shared", first(context.stored(kShared)));
  job.note(context, "of node", first(context.stored(kOfNode)));
}

/// Rank 1 stores 7 and then 8 in both places at time zero. Rank 0 has it started again at 20.
void store_and_restart(Job& job, RestartOn where) {
  job.spec.platform.spare_nodes = 1;
  job.script(Family::workload, [&job, where](ActorId self) {
    Handlers handlers;
    handlers.start = [self, &job](ScriptContext& context) {
      if (self == 0) return context.set_timer(0, 20);
      note_stored(job, context);
      if (context.incarnation() > 0) return;
      for (const std::uint64_t word : {7U, 8U}) {
        context.store(Storage::shared, kShared, {word});
        context.store(Storage::of_node, kOfNode, {word});
      }
      note_stored(job, context);
      context.set_timer(0, 1);
    };
    handlers.timer = [self, where, &job](ScriptContext& context, std::uint64_t) {
      if (self == 0) context.restart(context.known(1), where);
      note_stored(job, context);
    };
    return handlers;
  });
}

StorageEntry entry(Storage storage, std::uint64_t place, std::vector<std::uint64_t> words) {
  return {
      .family = Family::workload, .storage = storage, .place = place, .words = std::move(words)};
}

StateDigest digest_of(const StableStorage& storage) {
  Digest into;
  into.add(storage);
  return into.value();
}

}  // namespace

TEST_CASE("a storage whose words are gone has the digest of one that has never had any") {
  StableStorage storage;
  const StateDigest empty = digest_of(storage);
  storage.put(entry(Storage::of_node, kOfNode, {7}), 3);
  CHECK(digest_of(storage) != empty);
  CHECK(storage.words(Family::workload, kOfNode, 3) == std::vector<std::uint64_t>{7});
  CHECK(storage.words(Family::workload, kOfNode, 4).empty());
  CHECK(storage.words(Family::termination, kOfNode, 3).empty());
  storage.lose(4);
  CHECK(storage.words(Family::workload, kOfNode, 3) == std::vector<std::uint64_t>{7});
  storage.lose(3);
  CHECK(digest_of(storage) == empty);
  storage.put(entry(Storage::shared, kShared, {}), 3);
  CHECK(digest_of(storage) == empty);
}

TEST_CASE("what is stored last is found by a process that takes the place of a dead one") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    store_and_restart(job, RestartOn::same_node);
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    // When it starts; after it has asked, while the turn is not over; at 1; when it starts
    // again.
    CHECK(seen.values(1, "shared") == Values{0, 0, 8, 8});
    CHECK(seen.values(1, "of node") == Values{0, 0, 8, 8});
    CHECK(seen.values(0, "shared") == Values{8});
    CHECK(seen.values(0, "of node") == Values{0});  // rank 0 is on another node
  }
}

TEST_CASE("what is stored on a node is found on no other, and is lost when that node fails") {
  for (const scenario::EngineKind engine : engines())
    for (const bool node_fails : {false, true}) {
      Job job(2);
      store_and_restart(job, RestartOn::spare_node);
      if (node_fails)
        job.kill(5, {}, {1});
      else
        job.kill(5, {1});
      const Seen seen = job.run(engine);
      CHECK(seen.values(1, "shared") == Values{0, 0, 8, 8});
      CHECK(seen.values(1, "of node") == Values{0, 0, 8, 0});
    }
}

TEST_CASE("a copy of a run has a storage of its own") {
  Job job(1);
  std::vector<std::uint64_t> found;
  job.script(Family::workload, [&found](ActorId) {
    Handlers handlers;
    handlers.start = [](ScriptContext& context) {
      context.store(Storage::shared, kShared, {7});
      context.set_timer(1, 1);
      context.set_timer(2, 2);
    };
    handlers.timer = [&found](ScriptContext& context, std::uint64_t key) {
      found.push_back(context.stored(kShared).front());
      context.store(Storage::shared, kShared, {key});
    };
    return handlers;
  });
  StepwiseEngine engine(run_job(without_costs(job.spec), 1, 0));
  engine.begin();
  const RunState here = engine.state().copy();
  const StateDigest before = engine.digest();
  engine.take(0);
  CHECK(engine.digest() != before);
  engine.go_on_from(here);
  CHECK(engine.digest() == before);
  engine.take(0);
  engine.take(0);
  CHECK(found == std::vector<std::uint64_t>{7, 7, 1});
}

// On an engine with time, a message leaves after the time that sending takes. So a death between
// the two has stored and not sent, and never the reverse.
TEST_CASE("what a handler stores is there before a message of the same handler leaves") {
  Job job(2);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self != 0) return;
      context.send(1, 0, 8);
      context.store(Storage::shared, kShared, {7});
    };
    return handlers;
  });
  for (const std::uint64_t sent : {0U, 1U}) {
    StepwiseEngine engine(run_job(without_costs(job.spec), 1, 0));
    engine.begin({{.actor = 0, .after = sent}});
    CHECK(!engine.state().actors[0].alive);
    CHECK(engine.in_flight() == sent);
    CHECK(engine.state().storage.words(Family::workload, kShared, 0) ==
          std::vector<std::uint64_t>{7});
  }
}

}  // namespace faultline::engine
