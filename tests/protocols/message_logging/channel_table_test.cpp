// SPDX-License-Identifier: Apache-2.0

// What is kept for each channel.

#include "protocols/message_logging/channel_table.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "protocols/message_logging/object_channel.hpp"
#include "tests/support/digest_of.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

Message between(Rank from, ObjectId from_object, Rank to, ObjectId to_object) {
  Message message;
  message.from = from;
  message.to = to;
  message.from_object = from_object;
  message.to_object = to_object;
  return message;
}

/// All of them begin at one place.
struct Crowded {
  std::uint64_t number = 0;

  [[nodiscard]] static std::uint64_t hash() { return 13; }
  void digest(Digest& into) const { into.add(number); }
  friend auto operator<=>(const Crowded&, const Crowded&) = default;  // NOLINT(*-nullptr)
};

}  // namespace

TEST_CASE("each channel has a value of its own, and a reset leaves no trace of it") {
  ChannelTable<ObjectChannel, std::uint64_t> table;
  const StateDigest fresh = digest_of(table);
  const auto one = channel_of(between(0, 5, 1, 7));
  const auto other = channel_of(between(0, 4, 1, 7));
  CHECK(++table[one] == 1);
  CHECK(++table[other] == 1);
  CHECK(++table[one] == 2);
  CHECK(digest_of(table) != fresh);
  table.reset();
  CHECK(digest_of(table) == fresh);
  CHECK(++table[one] == 1);
}

TEST_CASE("a digest of channels does not depend on which was used first") {
  ChannelTable<ObjectChannel, std::uint64_t> ascending;
  ChannelTable<ObjectChannel, std::uint64_t> descending;
  constexpr ObjectId kObjects = 100;
  for (ObjectId object = 1; object <= kObjects; ++object) {
    ascending[channel_of(between(0, object, 1, 7))] = object;
    const ObjectId other = kObjects + 1 - object;
    descending[channel_of(between(0, other, 1, 7))] = other;
  }
  CHECK(digest_of(ascending) == digest_of(descending));
  for (ObjectId object = 1; object <= kObjects; ++object)
    CHECK(ascending[channel_of(between(0, object, 1, 7))] == object);
}

TEST_CASE("a copy of a table has values of its own, and finds the same channels") {
  ChannelTable<ObjectChannel, std::uint64_t> table;
  const auto channel = [](ObjectId object) { return channel_of(between(0, object, 1, 7)); };
  for (ObjectId object = 1; object <= 100; ++object) table[channel(object)] = object;
  ChannelTable<ObjectChannel, std::uint64_t> copy = table;
  for (ObjectId object = 1; object <= 150; ++object) copy[channel(object)] += 1000;
  for (ObjectId object = 1; object <= 100; ++object) {
    REQUIRE(table[channel(object)] == object);
    REQUIRE(copy[channel(object)] == 1000 + object);
  }
  CHECK(table[channel(150)] == 0);
}

TEST_CASE("channels are found in any order, and where they are many") {
  ChannelTable<ObjectChannel, std::uint64_t> table;
  constexpr ObjectId kMany = 70000;
  const auto channel = [](ObjectId object) { return channel_of(between(0, object, 1, 7)); };
  for (ObjectId object = 1; object <= kMany; ++object) table[channel(object)] = object;
  for (const ObjectId step : {1U, 3U, 69999U}) {
    std::uint64_t wrong = 0;
    for (ObjectId i = 0, object = 0; i < kMany; ++i, object = (object + step) % kMany)
      if (table[channel(object + 1)] != object + 1) ++wrong;
    CHECK(wrong == 0);
  }
}

TEST_CASE("channels are told apart that have one hash, also beyond the last place") {
  ChannelTable<Crowded, std::uint64_t> table;
  constexpr std::uint64_t kChannels = 40;
  for (std::uint64_t number = 1; number <= kChannels; ++number) table[{number}] = 10 * number;
  for (std::uint64_t number = 1; number <= kChannels; ++number)
    CHECK(table[{number}] == 10 * number);
}

TEST_CASE("all values are visited once, with their channels") {
  ChannelTable<Crowded, std::uint64_t> table;
  for (const std::uint64_t number : {5, 2, 9}) table[{number}] = number;
  std::set<std::uint64_t> visited;
  table.for_each([&](const Crowded& channel, std::uint64_t& value) {
    CHECK(channel.number == value);
    CHECK(visited.insert(value).second);
    value = 0;
  });
  CHECK(visited == std::set<std::uint64_t>{2, 5, 9});
  CHECK(table[{5}] == 0);
}

}  // namespace faultline::message_logging
