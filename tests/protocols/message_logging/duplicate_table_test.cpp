// SPDX-License-Identifier: Apache-2.0

// Which messages have come, and whose senders are behind.

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "protocols/message_logging/duplicate_table.hpp"
#include "sim/core/random.hpp"
#include "tests/support/digest_of.hpp"

namespace faultline::message_logging {

using namespace test;

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

TEST_CASE("what has come does not depend on the order in which it came") {
  std::vector<std::uint64_t> numbers(300);
  std::iota(numbers.begin(), numbers.end(), 1000);
  Stream random(1, 0, Purpose::message_logging, 0);
  DuplicateTable in_order;
  for (const std::uint64_t number : numbers) in_order.insert(kChannel, number, kSender);
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = numbers.size(); i-- > 1;)
      std::swap(numbers[i], numbers[random.below(i + 1)]);
    DuplicateTable table;
    for (const std::uint64_t number : numbers) table.insert(kChannel, number, kSender);
    CHECK(digest_of(table) == digest_of(in_order));
  }
}

TEST_CASE("a table that is cleared is as one in which nothing has come") {
  DuplicateTable table;
  table.insert(kChannel, 1, kSender);
  table.expect_again({5, 1});
  table.clear();
  CHECK(table.behind() == 0);
  CHECK(digest_of(table) == digest_of(DuplicateTable()));
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

}  // namespace faultline::message_logging
