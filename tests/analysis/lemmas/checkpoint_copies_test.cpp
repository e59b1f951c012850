// SPDX-License-Identifier: Apache-2.0

// The copies of each rank's data, after messages and deaths that are written out by hand.

#include "analysis/lemmas/checkpoint_copies.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "analysis/lemmas/block_promise.hpp"
#include "analysis/lemmas/message_kind.hpp"
#include "protocols/transactions/world_messages.hpp"
#include "sim/core/registry.hpp"

namespace faultline::lemmas {

namespace {

scenario::ComponentChoice fampi() {
  return {.registration = find_registration(Family::transactions, "fampi"),
          .options = {{"checkpoint", std::string("partner")},
                      {"recovery", std::string("merge")},
                      {"checkpoint_iterations", std::int64_t{1}}}};
}

/// A job whose ranks keep copies for each other: actor a's copies lie at the next actor.
class CheckpointJob {
 public:
  explicit CheckpointJob(std::uint32_t processes)
      : processes_(processes), copies_(processes, fampi()), log_(processes, fampi()) {}

  void mark(ActorId actor, const char* name, std::uint64_t value) {
    see({.kind = audit::Sight::Kind::mark, .actor = actor, .value = value, .text = name});
  }
  void die(ActorId actor) { see({.kind = audit::Sight::Kind::died, .actor = actor}); }
  void restart(ActorId actor) { see({.kind = audit::Sight::Kind::restarted, .actor = actor}); }

  /// The actor sends a checkpoint to the next one, where it arrives.
  void copy(ActorId from, const WorldEpoch& epoch, std::uint64_t point) {
    deliver("copy", from, keeper_of(from), {epoch, point});
  }
  /// All save this checkpoint, each at the next one, too.
  void save_all(const WorldEpoch& epoch, std::uint64_t point) {
    for (ActorId actor = 0; actor < processes_; ++actor) save(actor, epoch, point);
  }
  void save(ActorId actor, const WorldEpoch& epoch, std::uint64_t point) {
    copy(actor, epoch, point);
    mark(actor, "checkpoint", point);
    deliver("copy-stored", keeper_of(actor), actor, {epoch, point});
  }
  void restore(ActorId from, ActorId to, const WorldEpoch& epoch, std::uint64_t point) {
    deliver("restore", from, to, {epoch, point});
  }
  void tell(ActorId from, ActorId to, const World& world, const WorldEpoch& epoch,
            std::uint64_t point) {
    deliver("world", from, to, {epoch, point}, &world);
  }
  void join(ActorId actor, const WorldEpoch& epoch, std::uint64_t point) {
    mark(actor, "join", epoch.number);
    mark(actor, "restore", point);
  }
  /// The first actor puts a world together, and all enter it.
  void enter(const World& world, const WorldEpoch& epoch, std::uint64_t point) {
    for (ActorId actor = 0; actor < processes_; ++actor) {
      tell(0, actor, world, epoch, point);
      join(actor, epoch, point);
    }
  }
  void go_on(const WorldEpoch& epoch) {
    for (ActorId actor = 0; actor < processes_; ++actor) mark(actor, "resume", epoch.number);
  }

  [[nodiscard]] bool lost() const { return copies_.are_lost(); }
  /// Does the lemma let the job give up because both copies of a checkpoint are lost?
  [[nodiscard]] bool may_give_up() const {
    engine::RunResult result;
    result.outcome = engine::Outcome::fatal_reported;
    result.fatal_reason = "both copies of a checkpoint are lost";
    return !against_blocks({.recovers = true, .recovery = "merge", .checkpoint = "partner"}, result,
                           log_);
  }

 private:
  [[nodiscard]] ActorId keeper_of(ActorId actor) const { return (actor + 1) % processes_; }

  void see(const audit::Sight& sight) {
    copies_.see(sight);
    log_.see(sight);
  }

  void deliver(const char* kind, ActorId from, ActorId to, const transactions::WorldWords& words,
               const World* world = nullptr) {
    Message message;
    message.from = from;
    message.to = to;
    message.channel = Family::transactions;
    message.kind = static_cast<std::uint8_t>(message_kind(*fampi().registration, kind));
    message.payload.put(words);
    if (world != nullptr)
      message.attachments.put(Family::transactions, std::make_shared<const transactions::WorldNews>(
                                                        transactions::WorldNews{*world, {}, 1}));
    see({.kind = audit::Sight::Kind::sent, .actor = from, .message = &message});
    see({.kind = audit::Sight::Kind::received, .actor = to, .message = &message});
  }

  std::uint32_t processes_;
  CheckpointCopies copies_;
  BlockLog log_;
};

constexpr WorldEpoch kFirst{};
constexpr WorldEpoch kSecond{1, 1};

/// The world of six ranks after the death of rank 2 and a merge: 0 1 3 4 5 2.
World merged_without_2() {
  World world(6);
  world.shrink({2});
  world.append(2);
  return world;
}

/// Six ranks that have saved checkpoints 1 and 2, lost rank 2, and moved their data.
CheckpointJob after_a_merge() {
  CheckpointJob job(6);
  job.save_all(kFirst, 1);
  job.save_all(kFirst, 2);
  job.die(2);
  job.restart(2);
  job.enter(merged_without_2(), kSecond, 2);
  // Rank 2's data are at actor 3 already, which keeps them and has that rank now.
  job.restore(3, 4, kSecond, 2);
  job.restore(4, 5, kSecond, 2);
  job.restore(5, 2, kSecond, 2);
  return job;
}

}  // namespace

TEST_CASE("a checkpoint is lost if a rank and its partner die, and no others") {
  for (ActorId second = 1; second < 6; ++second) {
    CheckpointJob job(6);
    job.save_all(kFirst, 1);
    job.save_all(kFirst, 2);
    job.die(0);
    CHECK(!job.lost());
    job.die(second);
    CAPTURE(second);
    // Actor 1 has kept what actor 0 had, and actor 0 what actor 5 had.
    CHECK(job.lost() == (second == 1 || second == 5));
    CHECK(job.may_give_up() == job.lost());
  }
}

TEST_CASE("no checkpoint is lost before somebody has taken the second one") {
  CheckpointJob job(3);
  job.save_all(kFirst, 1);
  job.die(0);
  job.die(1);
  CHECK(!job.lost());
}

TEST_CASE("a copy of a checkpoint to which the others cannot go back is none") {
  for (const std::uint64_t last : {2U, 3U}) {
    CheckpointJob job(4);
    job.save_all(kFirst, 1);
    for (std::uint64_t point = 2; point <= last; ++point) {
      job.mark(0, "checkpoint", point);  // its partner gets no copy
      for (const ActorId actor : {1U, 2U, 3U}) job.save(actor, kFirst, point);
    }
    job.die(0);
    CAPTURE(last);
    CHECK(job.lost() == (last == 3));  // when the others have forgotten the first one
  }
}

TEST_CASE("while data move in a merge, the processes that have had them or keep a copy count") {
  CheckpointJob job = after_a_merge();
  job.die(5);  // whose data have come to actor 2, and are kept by actor 0
  CHECK(!job.lost());
  job.die(0);  // actor 2 has them still, and actor 1 those of actor 0
  CHECK(!job.lost());
  job.die(3);  // that alone kept those of the first process of actor 2
  CHECK(job.lost());
  CHECK(job.may_give_up());
}

TEST_CASE("after a merge, the partners are those that have got the data of a rank, or keep them") {
  for (const bool is_copied : {false, true}) {
    CheckpointJob job = after_a_merge();
    job.go_on(kSecond);
    if (is_copied)
      for (const ActorId actor : {2U, 3U, 4U, 5U}) job.copy(actor, kSecond, 2);
    // Rank 3 is actor 4, that kept its data before, and which actor 5 keeps if they were copied.
    job.die(4);
    CAPTURE(is_copied);
    CHECK(job.lost() == !is_copied);
    CHECK(job.may_give_up() == !is_copied);
  }
}

TEST_CASE("two deaths in one run under merge do not excuse a job that gives up") {
  CheckpointJob job = after_a_merge();
  job.go_on(kSecond);
  for (const ActorId actor : {2U, 3U, 4U, 5U}) job.copy(actor, kSecond, 2);
  job.die(0);
  CHECK(!job.lost());
  CHECK(!job.may_give_up());
}

TEST_CASE("what is lost stays lost though somebody goes on in the world in which it was lost") {
  CheckpointJob job(6);
  job.save_all(kFirst, 1);
  job.save_all(kFirst, 2);
  job.die(2);
  job.restart(2);
  job.tell(3, 0, merged_without_2(), kSecond, 2);
  job.die(3);  // that has put the world together, and alone kept the data of rank 2
  CHECK(job.lost());
  job.join(0, kSecond, 2);
  job.mark(0, "resume", kSecond.number);
  CHECK(job.lost());
}

}  // namespace faultline::lemmas
