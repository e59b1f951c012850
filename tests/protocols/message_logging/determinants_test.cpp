// SPDX-License-Identifier: Apache-2.0

// Deliveries by ticket, what others store of them, and the replay, without an engine.

#include "protocols/message_logging/determinants.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "protocols/message_logging/replay.hpp"
#include "tests/support/part_of_layer.hpp"

namespace faultline::message_logging {

using namespace test;

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

TEST_CASE("after a checkpoint, tickets begin with 1, and nothing is stored") {
  OwnDeliveries own = three_delivered();
  own.acknowledged(7, 3);
  own.commit();
  CHECK(own.tickets() == 0);
  CHECK(own.stored() == 0);
  own.give_ticket(from(0, 1));
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

namespace {

/// A rank that stores the determinants of kSelf.
struct Holder {
  explicit Holder(Determinants::Sends sends) : determinants({}, 0, sends) {}
  PartOfLayer around{0, JobShape{.processes = 5, .nodes = 5}};
  Determinants determinants;

  /// It gets these, in a message of that epoch and incarnation.
  void get(const DeliveryRun& deliveries, std::uint32_t epoch, std::uint64_t own_epoch) {
    Message message;
    message.from = kSelf;
    around.context().attach(message,
                            Carried{.deliveries = deliveries, .epoch = epoch, .lives = {}});
    determinants.store(around.context(), message, own_epoch);
  }
  /// The first and last tickets that it has acknowledged since the last call.
  Numbers acknowledged() {
    Numbers all;
    for (const Message& message : around.take_sent()) {
      const auto words = message.payload.get<StoredWords>();
      all.insert(all.end(), {words.first, words.last});
    }
    return all;
  }
  Numbers stored() {
    std::vector<Determinant> all;
    determinants.others.add_all_of(kSelf, all);
    return tickets_of(all);
  }
};

}  // namespace

TEST_CASE("determinants of a later epoch wait, and those of a dead incarnation are void") {
  Holder holder(Determinants::Sends::once);
  const OwnDeliveries other = three_delivered();
  holder.get(other.run(2, 2), 2, 1);
  CHECK(holder.acknowledged().empty());
  holder.get(other.run(1, 1), 1, 1);
  CHECK(holder.acknowledged() == Numbers{1, 1});
  holder.get(other.run(1, 1), 1, 2);  // of an epoch that is over
  CHECK(holder.acknowledged().empty());
  holder.determinants.store_early(holder.around.context(), 2);
  CHECK(holder.acknowledged() == Numbers{2, 2});
  holder.determinants.store_early(holder.around.context(), 2);
  CHECK(holder.acknowledged().empty());
  holder.around.learn({kSelf, 1});
  holder.get(other.run(3, 3), 2, 2);
  CHECK(holder.acknowledged().empty());
  CHECK(holder.stored() == Numbers{1, 2});
}

TEST_CASE("determinants that are sent again are stored once, and acknowledged again") {
  Holder holder(Determinants::Sends::again);
  const OwnDeliveries other = three_delivered();
  holder.get(other.run(1, 2), 0, 0);
  holder.get(other.run(1, 3), 0, 0);
  CHECK(holder.acknowledged() == Numbers{1, 2, 1, 3});
  CHECK(holder.stored() == Numbers{1, 2, 3});
}

TEST_CASE("determinants that are sent once are stored in any order") {
  Holder holder(Determinants::Sends::once);
  const OwnDeliveries other = three_delivered();
  holder.get(other.run(3, 3), 0, 0);
  holder.get(other.run(1, 1), 0, 0);
  CHECK(holder.stored() == Numbers{3, 1});
}

namespace {

/// A rank that has restarted, and has delivered three messages before.
struct Replaying {
  PartOfLayer around{kSelf, JobShape{.processes = 5, .nodes = 5}};
  CheckpointedProgram program{{}, around.turn().job, kSelf, Survivors::go_on};
  SenderLog log{kSelf};
  OwnDeliveries own{kSelf};
  Replay replay;

  Replaying() {
    const OwnDeliveries before = three_delivered();
    for (std::uint64_t ticket = 1; ticket <= 3; ++ticket)
      own.learn(before.determinant_of(ticket, 0));
  }
  bool add(const Delivery& delivery, std::uint8_t kind) {
    Message message;
    message.from = delivery.sender();
    message.kind = kind;
    return replay.add(delivery, message);
  }
  bool hand_up_next() { return replay.hand_up_next(around.context(), program, log, own); }
  /// The kinds of what the program has got since the last call.
  Numbers got() {
    Numbers kinds;
    for (const Message& message : around.take_delivered()) kinds.push_back(message.kind);
    return kinds;
  }
};

}  // namespace

TEST_CASE("a replay hands up messages in the order of their tickets, each when it has come") {
  Replaying rank;
  CHECK(rank.add(from(1, 1), 2));
  CHECK(!rank.hand_up_next());
  CHECK(rank.add(from(0, 1), 1));
  CHECK(!rank.add(from(0, 1), 1));
  CHECK(rank.hand_up_next());
  CHECK(rank.hand_up_next());
  CHECK(!rank.hand_up_next());
  CHECK(rank.got() == Numbers{1, 2});
  CHECK(rank.own.tickets() == 2);
  rank.add(from(0, 2), 3);
  CHECK(rank.hand_up_next());
  CHECK(!rank.own.must_replay());
  CHECK(!rank.hand_up_next());
}

TEST_CASE("after a replay, what nobody had depended on is taken in object by object") {
  Replaying rank;
  rank.add(from(1, 2), 2);
  rank.add(from(0, 9), 3);
  rank.add(from(1, 1), 1);
  Numbers taken;
  rank.replay.end(rank.around.context(), rank.program.gate(), [&](const Message& message) {
    taken.push_back(message.kind);
    return message.kind == 1 ? Admission::kept : Admission::deliver;
  });
  CHECK(taken == Numbers{3, 1, 2});
  CHECK(rank.got() == Numbers{3, 2});
  CHECK(rank.add(from(1, 1), 1));  // nothing waits any more
}

}  // namespace faultline::message_logging
