// SPDX-License-Identifier: Apache-2.0
#include "sim/core/message.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

namespace faultline {

TEST_CASE("a payload gives back any struct that fits") {
  struct Share {
    std::int64_t credit;
    double time_s;
    std::uint32_t rank;
    std::uint32_t phase;
  };
  Payload payload;
  payload.put(Share{-5, 0.25, 7, 3});
  const auto words = payload.get<Share>();
  CHECK(words.credit == -5);
  CHECK(words.time_s == 0.25);
  CHECK(words.rank == 7);
  CHECK(words.phase == 3);
}

TEST_CASE("what a message carries has no bytes that belong to no member") {
  struct Behind {
    double time_s;
    std::uint32_t rank;
  };
  struct Between {
    std::uint8_t kind;
    std::uint32_t rank;
  };
  struct Within {
    struct {
      std::uint32_t rank;
      bool dead;
    } peer;
    std::uint64_t count;
  };
  struct Full {
    double time_s;
    float share;
    std::uint16_t kind;
    bool first;
    bool last;
  };
  STATIC_REQUIRE_FALSE(HasNoUnusedBytes<Behind>);
  STATIC_REQUIRE_FALSE(HasNoUnusedBytes<Between>);
  STATIC_REQUIRE_FALSE(HasNoUnusedBytes<Within>);
  STATIC_REQUIRE(HasNoUnusedBytes<Full>);
  STATIC_REQUIRE(HasNoUnusedBytes<double>);
  STATIC_REQUIRE(HasNoUnusedBytes<Incarnation>);
}

TEST_CASE("equal values are equal payloads, whatever was there before") {
  Payload first;
  Payload second;
  second.put(std::array<std::uint64_t, 4>{1, 2, 3, 4});
  first.put(Incarnation{7, 2});
  second.put(Incarnation{7, 2});
  CHECK(first == second);
  second.put(Incarnation{7, 3});
  CHECK_FALSE(first == second);
}

TEST_CASE("the pool hands out each message once, at an address that stays") {
  MessagePool pool;
  std::set<Message*> out;
  std::vector<Message*> taken;
  for (std::uint32_t i = 0; i < 5000 || i < pool.places(); ++i) {
    taken.push_back(pool.take());
    taken.back()->bytes = i;
    out.insert(taken.back());
  }
  CHECK(out.size() == taken.size());
  bool kept = true;
  for (std::uint32_t i = 0; i < taken.size(); ++i) kept = kept && taken[i]->bytes == i;
  CHECK(kept);
  for (Message* message : taken) pool.give_back(message);
  std::set<Message*> again;
  for (std::size_t i = 0; i < taken.size(); ++i) again.insert(pool.take());
  CHECK(again == out);
}

TEST_CASE("a message of the pool has two cache lines, of which the engine reads the first") {
  MessagePool pool;
  bool aligned = true;
  for (std::uint32_t i = 0; i < 5000; ++i)
    aligned = aligned && reinterpret_cast<std::uintptr_t>(pool.take()) % kCacheLine == 0;
  CHECK(aligned);
  const Message message;
  const auto offset = [&](const auto& member) {
    return reinterpret_cast<const std::byte*>(&member) -
           reinterpret_cast<const std::byte*>(&message);
  };
  STATIC_REQUIRE(sizeof(Message) == 2 * kCacheLine);
  CHECK(offset(message.attachments) < static_cast<std::ptrdiff_t>(kCacheLine));
  CHECK(offset(message.termination) == static_cast<std::ptrdiff_t>(kCacheLine));
}

TEST_CASE("a message has room for sizes of up to 256 TiB, beside everything else") {
  constexpr std::uint64_t kTerabyte = 1000000000000;
  Message message;
  message.to_incarnation = 65535;
  message.kind = kLastKind;
  message.phase = kLastPhase;
  message.add_bytes(4294967296);
  CHECK(message.bytes == 4294967296);
  message.add_bytes(kTerabyte);
  CHECK(message.bytes == 4294967296 + kTerabyte);
  CHECK(message.to_incarnation == 65535);
  CHECK(message.kind == 255);
  CHECK(message.phase == 16777215);
  for (int i = 0; i < 300; ++i) message.add_bytes(kTerabyte);
  CHECK(message.bytes == 281474976710655);
  message.put_in_phase(7);
  CHECK(message.phase == 7);
  CHECK(message.kind == 255);
}

TEST_CASE("the pool visits what is in flight and nothing else, and lets attachments go") {
  MessagePool pool;
  Message* flying = pool.take();
  Message* resting = pool.take();
  flying->flags = kInFlight;
  flying->bytes = 1;
  const AttachedWords words = std::make_shared<const std::vector<std::uint64_t>>(3);
  resting->attachments.put(Family::termination, words);
  CHECK(words.use_count() == 2);
  pool.give_back(resting);
  CHECK(words.use_count() == 1);
  std::vector<std::uint64_t> visited;
  pool.for_each_in_flight([&](const Message& message) { visited.push_back(message.bytes); });
  CHECK(visited == std::vector<std::uint64_t>{1});
  pool.give_back(flying);
  pool.for_each_in_flight([&](const Message&) { FAIL("nothing is in flight"); });
}

}  // namespace faultline
