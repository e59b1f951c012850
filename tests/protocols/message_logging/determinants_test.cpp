// SPDX-License-Identifier: Apache-2.0

// Deliveries by ticket, what others store of them, and the replay, without an engine.

#include "protocols/message_logging/determinants.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "protocols/message_logging/replay.hpp"
#include "tests/support/part_of_layer.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

constexpr Rank kSelf = 4;

Delivery from(Rank sender, std::uint64_t number) {
  return {{Endpoint{.rank = sender}, Endpoint{.rank = kSelf}}, number};
}

OwnDeliveries three_delivered() {
  OwnDeliveries own(kSelf);
  own.give_ticket(from(0, 1));
  own.give_ticket(from(1, 1));
  own.give_ticket(from(0, 2));
  return own;
}

std::vector<std::uint64_t> tickets_of(const std::vector<Determinant>& determinants) {
  std::vector<std::uint64_t> tickets;
  tickets.reserve(determinants.size());
  for (const Determinant& known : determinants) tickets.push_back(known.ticket);
  return tickets;
}

using Numbers = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("an acknowledgement of one ticket covers all before it that nobody had stored") {
  OwnDeliveries own = three_delivered();
  CHECK(own.unstored_count() == 3);
  own.acknowledged(7, 2);
  CHECK(own.stored() == 2);
  CHECK(own.unstored_count() == 1);
  CHECK(own.unstored().first() == 3);
  own.acknowledged(8, 1);  // comes late
  CHECK(own.stored() == 2);
  own.acknowledged(8, 3);
  std::vector<Determinant> at_7;
  own.add_stored_at(7, at_7);
  CHECK(tickets_of(at_7) == Numbers{1, 2});
  std::vector<Determinant> at_8;
  own.add_stored_at(8, at_8);
  CHECK(tickets_of(at_8) == Numbers{3});
}

TEST_CASE("a rank knows the messages that it has given tickets to") {
  OwnDeliveries own = three_delivered();
  CHECK(own.contains(from(0, 2)));
  CHECK(!own.contains(from(0, 3)));
  CHECK(!own.contains(from(2, 1)));
}

TEST_CASE("a restarted rank learns its deliveries, and makes them again in order") {
  const OwnDeliveries before = three_delivered();
  OwnDeliveries own(kSelf);
  for (std::uint64_t ticket = 1; ticket <= 3; ++ticket)
    CHECK(own.learn(before.determinant_of(ticket, 7)));
  own.begin_life(1);
  CHECK(own.must_replay());
  CHECK(own.next() == from(0, 1));
  CHECK(!own.contains(from(0, 1)));  // not made again yet
  own.replayed();
  CHECK(own.contains(from(0, 1)));
  own.replayed();
  own.replayed();
  CHECK(!own.must_replay());
  own.give_ticket(from(3, 1));
  CHECK(own.determinant_of(3, 7).incarnation == 0);
  CHECK(own.determinant_of(4, 7).incarnation == 1);
}

TEST_CASE("a determinant behind one that nobody has is no delivery") {
  const OwnDeliveries before = three_delivered();
  OwnDeliveries own(kSelf);
  CHECK(own.learn(before.determinant_of(1, 7)));
  CHECK(!own.learn(before.determinant_of(3, 7)));
  CHECK(own.next() == from(0, 1));
  own.replayed();
  CHECK(!own.must_replay());
}

TEST_CASE("of two determinants with one ticket, that of the later incarnation is valid") {
  Determinant old = three_delivered().determinant_of(1, 7);
  Determinant late = old;
  late.incarnation = 1;
  late.number = 5;
  Determinant behind = old;
  behind.ticket = 2;
  const std::vector<Determinant> in_order = Determinants::in_order({behind, old, late});
  OwnDeliveries own(kSelf);
  for (const Determinant& known : in_order) own.learn(known);
  CHECK(own.next() == from(0, 5));
  own.replayed();
  CHECK(!own.must_replay());  // what the old one has delivered behind it is void
}

TEST_CASE("a checkpoint counts the deliveries before it, and begins with ticket 1") {
  OwnDeliveries own = three_delivered();
  own.acknowledged(7, 3);
  own.commit(3);
  CHECK(own.tickets() == 0);
  CHECK(own.stored() == 0);
  CHECK(own.of_all_epochs() == 3);
  own.give_ticket(from(0, 1));
  CHECK(own.of_all_epochs() == 4);
  CHECK(own.unstored().first() == 1);
}

TEST_CASE("a rank stores the determinants of others, and gives back all of one") {
  const OwnDeliveries other = three_delivered();
  DeterminantStore store(9);
  CHECK(store.last_of(kSelf) == 0);
  store.keep(kSelf, {.deliveries = other.run(1, 2), .epoch = 0, .lives = {}}, 1);
  store.keep(kSelf, {.deliveries = other.run(1, 3), .epoch = 0, .lives = {}}, 3);
  CHECK(store.last_of(kSelf) == 3);
  std::vector<Determinant> all;
  store.add_all_of(kSelf, all);
  CHECK(tickets_of(all) == Numbers{1, 2, 3});
  CHECK(all.front().holder == 9);
  CHECK(all.front().receiver == kSelf);
  std::vector<Determinant> none;
  store.add_all_of(3, none);
  CHECK(none.empty());
}

TEST_CASE("determinants of a later epoch wait, and those of a dead incarnation are void") {
  PartOfLayer around(0, JobShape{.processes = 5, .nodes = 5});
  Determinants own({}, 0);
  const OwnDeliveries other = three_delivered();
  const Carried now{.deliveries = other.run(1, 1), .epoch = 1, .lives = {}};
  const Carried later{.deliveries = other.run(1, 1), .epoch = 2, .lives = {}};
  CHECK(own.takes(around.context(), {kSelf, 0}, now, 1));
  CHECK(!own.takes(around.context(), {kSelf, 0}, later, 1));
  CHECK(own.take_early().size() == 1);
  CHECK(own.take_early().empty());
  CHECK(!own.takes(around.context(), {kSelf, 0}, now, 2));
  around.learn({kSelf, 1});
  CHECK(!own.takes(around.context(), {kSelf, 0}, now, 1));
}

TEST_CASE("a replay takes the message whose turn it is, and the rest object by object") {
  Replay replay;
  Message message;
  message.kind = 2;
  CHECK(replay.add(from(1, 2), message));
  message.kind = 1;
  CHECK(replay.add(from(1, 1), message));
  CHECK(!replay.add(from(1, 1), message));
  message.kind = 3;
  CHECK(replay.add(from(0, 9), message));
  CHECK(!replay.take(from(2, 1)));
  CHECK(replay.take(from(1, 2))->kind == 2);
  CHECK(!replay.take(from(1, 2)));
  const std::vector<Message> rest = replay.take_all();
  REQUIRE(rest.size() == 2);
  CHECK(rest[0].kind == 3);
  CHECK(rest[1].kind == 1);
  CHECK(replay.take_all().empty());
}
