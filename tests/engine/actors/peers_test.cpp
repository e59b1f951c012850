// SPDX-License-Identifier: Apache-2.0

// What an actor knows of its peers: which it refuses, and which live again.

#include <catch2/catch.hpp>

#include "sim/engine/actors/known_lives.hpp"
#include "sim/engine/actors/refusals.hpp"

namespace faultline::engine {

namespace {

Message message_of(Incarnation sender, double inject_s) {
  Message message{};
  message.from = sender.actor;
  message.from_incarnation = sender.number;
  message.inject_s = inject_s;
  return message;
}

}  // namespace

TEST_CASE("whoever is declared dead is refused from then on, and no other life of it") {
  Refusals refusals;
  CHECK_FALSE(refusals.refuse(message_of({3, 0}, 7.0)));
  refusals.add({{5, 1}, 2.0});
  refusals.add({{3, 0}, 1.0});
  refusals.check();
  CHECK(refusals.refuse(message_of({3, 0}, 1.5)));
  CHECK_FALSE(refusals.refuse(message_of({3, 0}, 1.0)));  // it had entered the network before
  CHECK_FALSE(refusals.refuse(message_of({3, 1}, 1.5)));
  CHECK_FALSE(refusals.refuse(message_of({5, 1}, 1.5)));
  CHECK(refusals.refuse(message_of({5, 1}, kNever)));  // it has not entered it yet
  CHECK(refusals.of({5, 0}) == nullptr);
  CHECK(refusals.of({5, 1})->time_s == 2.0);
}

TEST_CASE("a peer that can deny its death is heard by failure detectors, and by all once it has") {
  Refusals refusals;
  refusals.add({.peer = {3, 0}, .time_s = 1.0, .hears_detector = true});
  Message message = message_of({3, 0}, 1.5);
  message.channel = Family::failure_detection;
  CHECK_FALSE(refusals.refuse(message));
  message.channel = Family::workload;
  CHECK(refusals.refuse(message));
  CHECK_FALSE(refusals.remove({3, 1}));
  CHECK(refusals.remove({3, 0}));
  CHECK_FALSE(refusals.refuse(message));
  CHECK_FALSE(refusals.remove({3, 0}));
  CHECK(refusals.empty());
}

TEST_CASE("an actor knows the latest life that it has learned of") {
  KnownLives lives;
  CHECK(lives.of(4) == Incarnation{4, 0});
  lives.learn({4, 2});
  lives.learn({1, 1});
  lives.learn({4, 3});
  lives.check();
  CHECK(lives.of(4) == Incarnation{4, 3});
  CHECK(lives.of(1) == Incarnation{1, 1});
  CHECK(lives.of(2) == Incarnation{2, 0});
}

}  // namespace faultline::engine
