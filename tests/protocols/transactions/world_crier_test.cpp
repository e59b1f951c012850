// SPDX-License-Identifier: Apache-2.0

// How the news of a world spreads, without an engine.

#include "protocols/transactions/world_crier.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/part_of_layer.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

constexpr std::uint64_t kNewsControlBytes = 10;

/// A process of a world of seven, which process 2 has put together, and in which process 0 is new.
struct Herald {
  PartOfLayer around;
  WorldMembers members;

  explicit Herald(ActorId self)
      : around(self, JobShape{.processes = 7, .nodes = 7}, Family::transactions), members(7, self) {
    members.enter({1, 1},
                  std::make_shared<const WorldNews>(WorldNews{World(7), {{{0, 1}}, {0}, 2}, 1}));
  }
  template <class Tell>
  std::vector<Message> sent_by(const Tell& tell, std::uint64_t every = 1) {
    tell(WorldCrier(members, 4, every, kNewsControlBytes), around.context());
    return around.take_sent();
  }
  template <class Tell>
  std::vector<ActorId> told_by(const Tell& tell) {
    std::vector<ActorId> told;
    for (const Message& message : sent_by(tell)) told.push_back(message.to);
    std::sort(told.begin(), told.end());
    return told;
  }
};

const auto kTellBelow = [](const WorldCrier& crier, RecoveryContext& context) {
  crier.tell_those_below(context, *World(7).rank_of(context.self()));
};
const auto kTellBehind = [](const WorldCrier& crier, RecoveryContext& context) {
  crier.tell_those_behind(context);
};

}  // namespace

TEST_CASE("the news say which world it is, which ranks are new, and where it goes on from") {
  Herald herald(2);
  const auto to_5 = [](const WorldCrier& crier, RecoveryContext& context) {
    crier.tell(context, 5);
  };
  const std::vector<Message> sent = herald.sent_by(to_5);
  REQUIRE(sent.size() == 1);
  CHECK(sent.front().kind == WorldMessage::world);
  CHECK(sent.front().bytes == kNewsControlBytes + 8);  // one replaced process
  CHECK(sent.front().payload.get<WorldWords>() == WorldWords{{1, 1}, 4});
  const auto* news =
      sent.front().attachments.get<std::shared_ptr<const WorldNews>>(Family::transactions);
  REQUIRE(news != nullptr);
  CHECK(*news == herald.members.news());  // shared by all who are told
  const std::vector<Message> later = herald.sent_by(to_5, 3);
  CHECK((*later.front().attachments.get<std::shared_ptr<const WorldNews>>(Family::transactions))
            ->every == 3);
}

TEST_CASE("over a tree, every rank hears of the world once, from below the leader") {
  std::vector<ActorId> told;
  for (ActorId self = 0; self < 7; ++self)
    for (const ActorId to : Herald(self).told_by(kTellBelow)) told.push_back(to);
  std::sort(told.begin(), told.end());
  CHECK(told == std::vector<ActorId>{0, 1, 3, 4, 5, 6});
  CHECK(Herald(2).told_by(kTellBelow) == std::vector<ActorId>{3, 4});
}

TEST_CASE(
    "over a tree, the ranks below a dead one hear from above it, then or "
    "later") {
  Herald leader(2);
  leader.members.add_dead({3, 0});
  CHECK(leader.told_by(kTellBelow) == std::vector<ActorId>{4, 5, 6});
  const auto take_over = [](const WorldCrier& crier, RecoveryContext& context) {
    crier.take_over_from(context, 3);
  };
  CHECK(leader.told_by(take_over) == std::vector<ActorId>{5, 6});
  Herald other(4);
  other.members.add_dead({3, 0});
  CHECK(other.told_by(take_over).empty());
}

TEST_CASE("those who are behind wait for the first live rank of the earlier world") {
  Herald herald(5);
  CHECK(herald.told_by(kTellBehind) == std::vector<ActorId>{1});  // process 0 is new
  herald.members.add_dead({1, 0});
  CHECK(herald.told_by(kTellBehind) == std::vector<ActorId>{2});
  CHECK(Herald(1).told_by(kTellBehind).empty());  // it is the one itself
}

}  // namespace faultline::transactions
