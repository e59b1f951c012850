// SPDX-License-Identifier: Apache-2.0

// Operations without an engine: what they match, what they ask for, and how they stand.

#include "sim/core/operations.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace faultline {

namespace {

using State = OperationState;
using Group = std::vector<Operation>;

constexpr OperationKeys kKeys{.message_kind = 3, .timer_key = 1000};

/// Rank 0 with operations, outside of any run: what its handlers ask for stays in `turn`.
struct Actor {
  MessagePool pool;
  Turn turn;
  WorkloadContext context{turn, Family::workload};
  Operations operations{kKeys};

  explicit Actor(ActorId self = 0) {
    turn.pool = &pool;
    turn.self = self;
  }

  [[nodiscard]] const std::vector<Message*>& sent() const {
    return turn.outbox[index_of(Family::workload)];
  }
  [[nodiscard]] std::int64_t value(Operation operation) const {
    return operations.data(operation).get<std::int64_t>();
  }
  bool gets(const Message& message) { return operations.on_message(context, message); }
};

OperationData data_of(std::int64_t value) {
  OperationData data;
  data.put(value);
  return data;
}

/// What a peer sends to rank 0.
Message message_from(Incarnation peer, std::uint32_t tag, std::int64_t value,
                     std::uint32_t epoch = 0) {
  Actor sender(peer.actor);
  if (epoch > 0) sender.operations.enter_epoch(sender.context, epoch);
  sender.operations.send(sender.context, 0, tag, 8, kNever, data_of(value));
  Message message = *sender.sent().back();
  message.from_incarnation = peer.number;
  return message;
}

}  // namespace

TEST_CASE("a send is one message, with the bytes and the data of the program") {
  Actor actor;
  const Operation send = actor.operations.send(actor.context, 4, 7, 320, kNever, data_of(11));
  REQUIRE(actor.sent().size() == 1);
  const Message& message = *actor.sent()[0];
  CHECK(message.to == 4);
  CHECK(message.kind == kKeys.message_kind);
  CHECK(message.bytes == 320);
  CHECK((message.flags & kNotifySent) != 0);
  CHECK(actor.turn.actions.empty());
  CHECK(actor.operations.state(send) == State::pending);
  CHECK(actor.operations.on_sent(actor.context, 4, kKeys.message_kind));
  CHECK(actor.operations.state(send) == State::done);
}

TEST_CASE("a message completes the oldest receive of its peer and tag") {
  Actor actor;
  Operations& operations = actor.operations;
  const Operation first = operations.receive(actor.context, 1, 5);
  const Operation second = operations.receive(actor.context, 1, 5);
  const Operation other_peer = operations.receive(actor.context, 2, 5);
  const Operation other_tag = operations.receive(actor.context, 1, 6);
  CHECK(actor.gets(message_from({3}, 5, 10)));
  CHECK(actor.gets(message_from({1}, 7, 11)));
  CHECK_FALSE(operations.any_failed());
  CHECK(operations.waiting_for() == "a message with tag 5 from 1");

  actor.gets(message_from({1}, 5, 12));
  CHECK(operations.state(first) == State::done);
  CHECK(actor.value(first) == 12);
  CHECK(operations.state(second) == State::pending);
  actor.gets(message_from({1}, 6, 13));
  actor.gets(message_from({2}, 5, 14));
  actor.gets(message_from({1}, 5, 15));
  CHECK(operations.all_done());
  CHECK(actor.value(other_tag) == 13);
  CHECK(actor.value(other_peer) == 14);
  CHECK(actor.value(second) == 15);
  CHECK(actor.value(operations.receive(actor.context, 1, 7)) == 11);
  CHECK(actor.value(operations.receive(actor.context, 3, 5)) == 10);
  CHECK(operations.waiting_for().empty());
}

TEST_CASE("early messages of one tag are received in the order in which they came, each once") {
  Actor actor;
  for (const std::int64_t value : {1, 2, 3}) actor.gets(message_from({1}, 5, value));
  for (const std::int64_t value : {1, 2, 3})
    CHECK(actor.value(actor.operations.receive(actor.context, 1, 5)) == value);
  const Operation fourth = actor.operations.receive(actor.context, 1, 5);
  CHECK(actor.operations.state(fourth) == State::pending);
}

TEST_CASE("the events of others are left to them") {
  Actor actor;
  Operations& operations = actor.operations;
  const Operation receive = operations.receive(actor.context, 1, 5, 10);
  const Operation send = operations.send(actor.context, 1, 5, 8);
  Message message = message_from({1}, 5, 1);
  message.kind = kKeys.message_kind + 1;
  CHECK_FALSE(actor.gets(message));
  CHECK_FALSE(operations.on_sent(actor.context, 1, kKeys.message_kind + 1));
  CHECK_FALSE(operations.on_timer(actor.context, kKeys.timer_key + 1));
  CHECK_FALSE(operations.on_peer_failed(actor.context, {2}));
  CHECK_FALSE(operations.on_peer_restarted(actor.context, {2, 1}));
  CHECK(operations.state(receive) == State::pending);
  CHECK(operations.state(send) == State::pending);
  CHECK(operations.on_peer_failed(actor.context, {1}));
}

TEST_CASE("one timer serves all deadlines, and is gone when nothing can time out any more") {
  Actor actor;
  Operations& operations = actor.operations;
  const auto asked = [&actor] {
    std::vector<Action> actions;
    actions.swap(actor.turn.actions);
    for (const Action& action : actions) {
      if (const auto* timer = std::get_if<Action::SetTimer>(&action.request))
        CHECK(timer->key == kKeys.timer_key);
      else
        CHECK(std::get<Action::CancelTimer>(action.request).key == kKeys.timer_key);
    }
    return actions;
  };
  const Operation at_30 = operations.receive(actor.context, 1, 5, 30);
  const Operation at_10 = operations.receive(actor.context, 1, 6, 10);
  const Operation at_20 = operations.send(actor.context, 1, 7, 8, 20);
  const Operation never = operations.receive(actor.context, 1, 8);
  std::vector<Action> actions = asked();
  REQUIRE(actions.size() == 2);
  CHECK(std::get<Action::SetTimer>(actions[0].request).delay_s == 30);
  CHECK(std::get<Action::SetTimer>(actions[1].request).delay_s == 10);

  actor.turn.now_s = 10;
  CHECK(operations.on_timer(actor.context, kKeys.timer_key));
  CHECK(operations.state(at_10) == State::timed_out);
  CHECK(operations.state(at_20) == State::pending);
  actions = asked();
  REQUIRE(actions.size() == 1);
  CHECK(std::get<Action::SetTimer>(actions[0].request).delay_s == 10);

  operations.on_sent(actor.context, 1, kKeys.message_kind);
  CHECK(operations.state(at_20) == State::done);
  CHECK(asked().empty());
  actor.turn.now_s = 20;  // nothing has this deadline any more
  operations.on_timer(actor.context, kKeys.timer_key);
  CHECK(operations.state(at_30) == State::pending);
  REQUIRE(asked().size() == 1);
  actor.gets(message_from({1}, 5, 1));
  actions = asked();
  REQUIRE(actions.size() == 1);
  CHECK(actions[0].is<Action::CancelTimer>());
  CHECK(operations.state(never) == State::pending);
}

TEST_CASE("what has ended stays as it is, but what is done can be raised") {
  Actor actor;
  Operations& operations = actor.operations;
  const Operation done = operations.receive(actor.context, 1, 5);
  actor.gets(message_from({1}, 5, 1));
  const Operation cancelled = operations.receive(actor.context, 1, 6);
  const Operation raised = operations.send(actor.context, 1, 6, 8);
  operations.cancel(actor.context, cancelled);
  operations.cancel(actor.context, done);
  operations.raise(actor.context, raised);
  operations.raise(actor.context, cancelled);
  operations.cancel(actor.context, raised);
  operations.on_sent(actor.context, 1, kKeys.message_kind);
  CHECK(operations.state(done) == State::done);
  CHECK(operations.state(cancelled) == State::cancelled);
  CHECK(operations.state(raised) == State::failed);
  CHECK_FALSE(operations.any_failed(Group{done, cancelled}));
  operations.raise(actor.context, done);
  CHECK(operations.state(done) == State::failed);
  CHECK(operations.any_failed(Group{done, cancelled}));
}

TEST_CASE("after the death of a peer, its messages can be received and nothing else") {
  Actor actor;
  Operations& operations = actor.operations;
  actor.gets(message_from({1}, 5, 1));
  const Operation pending = operations.receive(actor.context, 1, 6);
  const Operation of_another = operations.receive(actor.context, 2, 6);
  operations.on_peer_failed(actor.context, {1});
  CHECK(operations.state(pending) == State::failed);
  CHECK(operations.state(of_another) == State::pending);
  CHECK(actor.value(operations.receive(actor.context, 1, 5)) == 1);
  CHECK(operations.state(operations.receive(actor.context, 1, 5)) == State::failed);
  actor.gets(message_from({1}, 7, 2));  // was in the network when its sender died
  CHECK(actor.value(operations.receive(actor.context, 1, 7)) == 2);
  CHECK(operations.state(operations.send(actor.context, 1, 5, 8)) == State::failed);
  CHECK(actor.sent().empty());
}

TEST_CASE("operations that begin again still know the dead, and nothing else") {
  Actor actor;
  Operations& operations = actor.operations;
  operations.enter_epoch(actor.context, 3);
  actor.gets(message_from({2}, 5, 1));
  operations.receive(actor.context, 1, 6);
  operations.on_peer_failed(actor.context, {1});
  operations.begin_again(actor.context);
  CHECK(operations.all_done());  // none
  CHECK(operations.state(operations.receive(actor.context, 1, 6)) == State::failed);
  CHECK(operations.state(operations.receive(actor.context, 2, 5)) == State::pending);
  CHECK_NOTHROW(operations.enter_epoch(actor.context, 1));
}

TEST_CASE("what an earlier life of a peer has sent is dropped, and news of its death is old") {
  Actor actor;
  Operations& operations = actor.operations;
  const Operation with_the_first = operations.receive(actor.context, 1, 5);
  actor.gets(message_from({1, 0}, 6, 1));
  CHECK(operations.on_peer_restarted(actor.context, {1, 1}));
  CHECK(operations.state(with_the_first) == State::failed);
  const Operation six = operations.receive(actor.context, 1, 6);
  const Operation seven = operations.receive(actor.context, 1, 7);
  CHECK(actor.gets(message_from({1, 0}, 7, 2)));
  CHECK_FALSE(operations.on_peer_failed(actor.context, {1, 0}));
  CHECK(operations.state(six) == State::pending);
  CHECK(operations.state(seven) == State::pending);
  actor.gets(message_from({1, 1}, 7, 3));
  CHECK(actor.value(seven) == 3);
  CHECK(operations.on_peer_failed(actor.context, {1, 1}));
  CHECK(operations.state(six) == State::failed);
  CHECK_FALSE(operations.on_peer_restarted(actor.context, {1, 2}));
  CHECK(operations.state(operations.send(actor.context, 1, 5, 8)) == State::pending);
}

TEST_CASE("the lives of a peer of whose death nobody has told are one") {
  Actor actor;
  const Operation receive = actor.operations.receive(actor.context, 1, 5);
  actor.gets(message_from({1, 2}, 5, 1));
  CHECK(actor.operations.state(receive) == State::done);
  actor.gets(message_from({1, 1}, 5, 2));
  CHECK(actor.value(actor.operations.receive(actor.context, 1, 5)) == 2);
}

TEST_CASE("a message completes receives of its own epoch only") {
  Actor actor;
  Operations& operations = actor.operations;
  const Operation old = operations.receive(actor.context, 1, 5, 10);
  actor.gets(message_from({1}, 6, 1));
  actor.gets(message_from({1}, 5, 2, 3));
  CHECK(operations.state(old) == State::pending);
  operations.enter_epoch(actor.context, 2);
  CHECK(operations.state(old) == State::cancelled);
  CHECK(actor.turn.actions.back().is<Action::CancelTimer>());
  const Operation five = operations.receive(actor.context, 1, 5);
  const Operation six = operations.receive(actor.context, 1, 6);
  CHECK(actor.gets(message_from({1}, 5, 3, 1)));
  CHECK(operations.state(five) == State::pending);
  CHECK(operations.state(six) == State::pending);
  operations.enter_epoch(actor.context, 3);
  CHECK(actor.value(operations.receive(actor.context, 1, 5)) == 2);
  CHECK_THROWS_AS(operations.enter_epoch(actor.context, 3), std::invalid_argument);
}

TEST_CASE("the message of a send that has ended otherwise is not taken for that of a later one") {
  Actor actor;
  Operations& operations = actor.operations;
  const Operation first = operations.send(actor.context, 1, 5, 8);
  operations.cancel(actor.context, first);
  operations.forget_ended();
  const Operation second = operations.send(actor.context, 1, 5, 8);
  CHECK(operations.on_sent(actor.context, 1, kKeys.message_kind));
  CHECK(operations.state(second) == State::pending);
  CHECK(operations.on_sent(actor.context, 1, kKeys.message_kind));
  CHECK(operations.state(second) == State::done);
}

TEST_CASE("a message that leaves ends the oldest send of its peer, forgotten or not") {
  Actor actor;
  Operations& operations = actor.operations;
  const Operation first = operations.send(actor.context, 1, 5, 8);
  const Operation second = operations.send(actor.context, 1, 6, 8);
  operations.cancel(actor.context, second);
  operations.forget_ended();
  CHECK_THROWS_AS(operations.state(second), std::out_of_range);
  operations.on_sent(actor.context, 1, kKeys.message_kind);
  CHECK(operations.state(first) == State::done);
  const Operation third = operations.send(actor.context, 1, 7, 8);
  operations.on_sent(actor.context, 1, kKeys.message_kind);
  CHECK(operations.state(third) == State::pending);
  operations.on_sent(actor.context, 1, kKeys.message_kind);
  CHECK(operations.state(third) == State::done);
}

TEST_CASE("what is pending keeps its deadline when others are forgotten") {
  Actor actor;
  Operations& operations = actor.operations;
  operations.receive(actor.context, 1, 5, 10);
  actor.turn.now_s = 5;
  const Operation at_15 = operations.receive(actor.context, 1, 6, 10);
  actor.turn.now_s = 7;
  operations.receive(actor.context, 1, 7, 10);
  actor.gets(message_from({1}, 5, 1));
  actor.gets(message_from({1}, 7, 2));
  operations.forget_ended();
  const Operation at_30 = operations.receive(actor.context, 1, 8, 23);
  for (const double now_s : {10.0, 15.0}) {
    CHECK(operations.state(at_15) == State::pending);
    actor.turn.now_s = now_s;
    operations.on_timer(actor.context, kKeys.timer_key);
  }
  CHECK(operations.state(at_15) == State::timed_out);
  CHECK(operations.state(at_30) == State::pending);
}

TEST_CASE("operations that forget what has ended keep what is pending, under its number") {
  Actor actor;
  Operations& operations = actor.operations;
  CHECK(operations.all_done());
  const Operation first = operations.receive(actor.context, 1, 5);
  const Operation second = operations.receive(actor.context, 1, 6);
  const Operation third = operations.receive(actor.context, 1, 7);
  operations.cancel(actor.context, first);
  operations.raise(actor.context, third);
  CHECK(operations.any_failed());
  operations.forget_ended();
  CHECK_FALSE(operations.any_failed());
  CHECK_FALSE(operations.none_pending());
  CHECK_THROWS_AS(operations.state(first), std::out_of_range);
  CHECK_THROWS_AS(operations.all_done(Group{third}), std::out_of_range);
  operations.raise(actor.context, third);
  CHECK(operations.state(second) == State::pending);
  actor.gets(message_from({1}, 6, 1));
  CHECK(operations.all_done());
  CHECK(operations.receive(actor.context, 1, 5) == third + 1);
}

TEST_CASE("operations that give memory back keep what is pending, and can begin more") {
  Actor actor;
  Operations& operations = actor.operations;
  const Operation send = operations.send(actor.context, 1, 5, 8);
  const Operation receive = operations.receive(actor.context, 1, 5, 10);
  operations.cancel(actor.context, operations.receive(actor.context, 1, 6));
  operations.forget_ended();
  operations.shrink();
  CHECK(operations.count(State::pending) == 2);
  actor.gets(message_from({1}, 7, 3));
  actor.gets(message_from({1}, 5, 2));
  operations.on_sent(actor.context, 1, kKeys.message_kind);
  CHECK(operations.state(send) == State::done);
  CHECK(actor.value(receive) == 2);
  CHECK(actor.value(operations.receive(actor.context, 1, 7)) == 3);
}

TEST_CASE("equal histories make equal values, and a copy goes its own way") {
  Actor one;
  Actor two;
  for (Actor* actor : {&one, &two}) {
    actor->operations.receive(actor->context, 1, 5, 10);
    actor->operations.send(actor->context, 2, 5, 8);
    actor->gets(message_from({2}, 5, 1));
    actor->operations.on_peer_failed(actor->context, {3});
  }
  CHECK(one.operations == two.operations);
  Operations copy = one.operations;
  copy.cancel_all(two.context);
  CHECK(copy.none_pending());
  CHECK(copy != one.operations);
  CHECK(one.operations == two.operations);
  CHECK_FALSE(one.operations.none_pending());
  one.gets(message_from({1}, 5, 1));
  two.gets(message_from({1}, 5, 2));
  CHECK(one.operations != two.operations);
}

}  // namespace faultline
