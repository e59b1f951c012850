// SPDX-License-Identifier: Apache-2.0

// The agreement of all ranks on one checkpoint, without an engine.

#include "protocols/checkpoints/checkpoint_round.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "tests/support/part_of_layer.hpp"

namespace faultline::checkpoints {

using namespace test;

namespace {

using Due = CheckpointRound::Due;

/// Ranks whose messages arrive in the order of sending, when the test says so.
class Ranks {
 public:
  explicit Ranks(std::uint32_t processes) : job_(job_of(processes)), last_(processes) {
    for (Rank rank = 0; rank < processes; ++rank) {
      around_.push_back(std::make_unique<PartOfLayer>(rank, job_));
      rounds_.emplace_back(processes, rank, std::uint64_t{32});
    }
  }

  /// Calls a function of a rank's round, and notes what is due there then.
  template <class Call>
  void call(Rank rank, Call call) {
    const Due due = call(rounds_[rank], around_[rank]->context());
    if (due != Due::nothing) last_[rank] = due;
    for (const Message& message : around_[rank]->take_sent()) flights_.push_back(message);
  }
  void ask(Rank rank, std::int64_t in_flight = 0) {
    call(rank, [&](auto& round, auto& context) { return round.ask(context, in_flight); });
  }
  void deliver_all() {
    while (!flights_.empty()) {
      const Message message = flights_.front();
      flights_.pop_front();
      call(message.to,
           [&](auto& round, auto& context) { return round.on_message(context, message); });
    }
  }
  /// Is that due at all ranks?
  [[nodiscard]] bool all_have(Due due) const {
    return last_ == std::vector<Due>(last_.size(), due);
  }
  [[nodiscard]] bool any_has(Due due) const {
    return std::find(last_.begin(), last_.end(), due) != last_.end();
  }
  [[nodiscard]] std::uint32_t size() const { return job_.processes; }
  [[nodiscard]] CheckpointRound& round(Rank rank) { return rounds_[rank]; }

 private:
  static JobShape job_of(std::uint32_t processes) {
    JobShape job;
    job.processes = job.nodes = processes;
    return job;
  }

  JobShape job_;
  std::vector<std::unique_ptr<PartOfLayer>> around_;
  std::vector<CheckpointRound> rounds_;
  std::vector<Due> last_;
  std::deque<Message> flights_;
};

}  // namespace

TEST_CASE("images are taken when all have asked, and committed when all are stored") {
  for (const std::uint32_t processes : {1, 2, 3, 7, 8}) {
    CAPTURE(processes);
    Ranks ranks(processes);
    for (Rank rank = 1; rank < processes; ++rank) ranks.ask(rank);
    ranks.deliver_all();
    CHECK(!ranks.any_has(Due::take));
    ranks.ask(0);
    ranks.deliver_all();
    CHECK(ranks.all_have(Due::take));
    for (Rank rank = 0; rank + 1 < processes; ++rank)
      ranks.call(rank, [](auto& round, auto& context) { return round.stored(context); });
    ranks.deliver_all();
    CHECK(!ranks.any_has(Due::commit));
    ranks.call(processes - 1, [](auto& round, auto& context) { return round.stored(context); });
    ranks.deliver_all();
    CHECK(ranks.all_have(Due::commit));
  }
}

TEST_CASE("no image is taken while a message between ranks is under way") {
  Ranks ranks(5);
  ranks.ask(3, 1);  // it has sent one
  for (const Rank rank : {0, 1, 2, 4}) ranks.ask(rank);
  ranks.deliver_all();
  CHECK(!ranks.any_has(Due::take));
  ranks.call(2, [](auto& round, auto& context) { return round.received(context); });
  ranks.deliver_all();
  CHECK(ranks.all_have(Due::take));
}

TEST_CASE("where more than the program sends, all are quiet before anything is counted") {
  Ranks ranks(4);
  for (Rank rank = 0; rank < 4; ++rank)
    ranks.call(rank, [](auto& round, auto& context) { return round.ask(context); });
  ranks.deliver_all();
  CHECK(ranks.all_have(Due::be_quiet));
  for (Rank rank = 0; rank < 4; ++rank)
    ranks.call(rank, [&](auto& round, auto& context) {
      return round.is_quiet(context, rank == 1 ? 1 : 0);
    });
  ranks.deliver_all();
  CHECK(!ranks.any_has(Due::take));
  ranks.call(3, [](auto& round, auto& context) { return round.received(context); });
  ranks.deliver_all();
  CHECK(ranks.all_have(Due::take));
}

TEST_CASE("a round that begins anew owes nothing to the one before") {
  Ranks ranks(3);
  for (Rank rank = 0; rank < 3; ++rank) ranks.ask(rank, 1);
  for (Rank rank = 0; rank < 3; ++rank) ranks.round(rank).begin({.number = 0, .level = 1});
  CHECK(!ranks.round(0).asked());
  CHECK(!ranks.round(0).counts());
}

}  // namespace faultline::checkpoints
