// SPDX-License-Identifier: Apache-2.0

// Which messages have come, and whose senders are behind.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "protocols/message_logging/duplicate_table.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/random.hpp"
#include "tests/support/digest_of.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

constexpr KindChannel kChannel{{{.object = 1}, {.object = 2}}, 3};
constexpr Incarnation kSender{5, 0};

}  // namespace

TEST_CASE("each number of a channel is new once, however far it was overtaken") {
  DuplicateTable table;
  CHECK(table.insert(kChannel, 300, kSender));
  CHECK(table.insert(kChannel, 7, kSender));
  CHECK(table.insert(kChannel, 100, kSender));
  CHECK(table.insert(kChannel, 299, kSender));
  CHECK(table.insert(kChannel, 500, kSender));
  for (const std::uint64_t number : {7, 100, 299, 300, 500})
    CHECK_FALSE(table.insert(kChannel, number, kSender));
  CHECK(table.insert({kChannel.ends, 4}, 300, kSender));
  CHECK(table.insert(kChannel, 5, kSender));
  CHECK(table.insert(kChannel, 8, kSender));
  CHECK_FALSE(table.insert(kChannel, 8, kSender));
}

TEST_CASE("the duplicate table agrees with a set of all numbers") {
  Stream random(1, 0, Purpose::message_logging, 0);
  for (int round = 0; round < 200; ++round) {
    DuplicateTable table;
    std::set<std::uint64_t> come;
    std::uint64_t around = 1 + random.below(500);
    for (int i = 0; i < 400; ++i) {
      around += random.below(4);
      const std::uint64_t number = 1 + random.below(random.chance(0.1) ? 1000 : around);
      CHECK(table.insert(kChannel, number, kSender) == come.insert(number).second);
    }
  }
}

TEST_CASE("numbers that are noted count as those that are inserted") {
  constexpr ObjectChannel kFromRank{{.rank = 7}, {.object = 2}};
  constexpr std::uint32_t kKinds = 80;
  constexpr std::uint64_t kLarge = (1U << 24U) - 100;
  Stream random(1, 0, Purpose::message_logging, 0);
  for (int round = 0; round < 50; ++round) {
    DuplicateTable table;
    DuplicateTable plain;
    std::set<std::pair<std::uint32_t, std::uint64_t>> come;
    const std::uint64_t messages = 1 + random.below(2000);
    for (std::uint64_t i = 0; i < messages; ++i) {
      const auto kind = static_cast<std::uint32_t>(random.below(kKinds));
      const std::uint64_t number = 1 + random.below(200) + (kind % 3 == 0 ? kLarge : 0);
      const KindChannel channel{kind % 5 == 0 ? kFromRank : kChannel.ends, kind};
      const bool is_first = come.emplace(kind, number).second;
      if (is_first && random.chance(0.999))
        table.note(channel, number, kSender.actor);
      else
        REQUIRE(table.insert(channel, number, kSender) == is_first);
      REQUIRE(plain.insert(channel, number, kSender) == is_first);
    }
    CHECK(digest_of(table) == digest_of(plain));
    CHECK(table.expect_again({5, 1}) == plain.expect_again({5, 1}));
    CHECK(table.behind() == plain.behind());
    table.note({kChannel.ends, 1}, 1000, kSender.actor);
    table.forget({.object = 2});
    CHECK(digest_of(table) == digest_of(DuplicateTable()));
  }
}

TEST_CASE("numbers that are noted until there is no room for more count as those inserted") {
  constexpr std::uint64_t kMany = 10000;
  constexpr std::uint32_t kKinds = 60;
  DuplicateTable table;
  DuplicateTable plain;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    const KindChannel channel{kChannel.ends, static_cast<std::uint32_t>(i % kKinds)};
    table.note(channel, 1 + i / kKinds, kSender.actor);
    REQUIRE(plain.insert(channel, 1 + i / kKinds, kSender));
  }
  CHECK(digest_of(table) == digest_of(plain));
  CHECK_FALSE(table.insert({kChannel.ends, 7}, 5, kSender));
}

TEST_CASE("a number that is noted twice is found out") {
  DuplicateTable table;
  table.note(kChannel, 1, kSender.actor);
  table.note(kChannel, 1, kSender.actor);
  CHECK_THROWS_AS(table.insert(kChannel, 2, kSender), BrokenInvariant);
}

TEST_CASE("a table that is cleared has forgotten what was noted") {
  DuplicateTable table;
  table.note(kChannel, 1, kSender.actor);
  table.clear();
  CHECK(table.insert(kChannel, 1, kSender));
}

TEST_CASE("a sender that has gone back is behind until its latest message comes again") {
  DuplicateTable table;
  const KindChannel other{{{.object = 4}, {.object = 2}}, 3};
  for (const std::uint64_t number : {1, 2, 3}) table.insert(kChannel, number, kSender);
  table.insert(other, 1, {6, 0});
  CHECK_FALSE(table.expect_again({7, 1}));
  CHECK(table.expect_again({5, 1}));
  CHECK(table.behind() == 1);
  CHECK_FALSE(table.insert(kChannel, 1, {5, 1}));
  CHECK(table.behind() == 1);
  CHECK_FALSE(table.insert(kChannel, 3, {5, 1}));  // 2 is still on its way
  CHECK(table.behind() == 0);
  CHECK_FALSE(table.expect_again({5, 1}));
  table.expect_again({6, 2});
  table.forget({.object = 2});
  CHECK(table.behind() == 0);
  CHECK(table.insert(other, 1, {6, 0}));
}
