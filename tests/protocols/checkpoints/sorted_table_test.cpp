// SPDX-License-Identifier: Apache-2.0

// Entries in the order of their keys.

#include "protocols/checkpoints/sorted_table.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/types.hpp"
#include "tests/support/digest_of.hpp"

namespace faultline::checkpoints {

using namespace test;

namespace {

struct Entry {
  Rank rank = kNobody;
  int value = 0;

  void digest(Digest& into) const { into.add(rank, value); }
};

}  // namespace

TEST_CASE("what is kept of a rank stays, whatever is kept of others") {
  RankTable<Entry> kept;
  kept.of(5).value = 50;
  kept.of(2).value = 20;
  kept.of(5).value += 1;
  REQUIRE(kept.size() == 2);
  std::vector<Rank> ranks;
  for (const Entry& entry : kept) ranks.push_back(entry.rank);
  CHECK(ranks == std::vector<Rank>{2, 5});
  CHECK(kept.of(5).value == 51);
  kept.erase_if([](const Entry& entry) { return entry.rank == 2; });
  CHECK(kept.size() == 1);
}

TEST_CASE("a digest does not depend on of whom something was kept first") {
  RankTable<Entry> ascending;
  RankTable<Entry> descending;
  for (Rank rank = 0; rank < 9; ++rank) ascending.of(rank).value = static_cast<int>(rank);
  for (Rank rank = 9; rank-- > 0;) descending.of(rank).value = static_cast<int>(rank);
  CHECK(digest_of(ascending) == digest_of(descending));
}

TEST_CASE("an entry is found by its key, and there is none before somebody has asked for it") {
  SortedTable<Entry, &Entry::value> table;
  CHECK(table.empty());
  CHECK(table.find(7) == nullptr);
  table.of(7).rank = 1;
  table.of(3).rank = 2;
  REQUIRE(table.find(7) != nullptr);
  CHECK(table.find(7)->rank == 1);
  CHECK(table.find(5) == nullptr);
  CHECK(table.begin()->value == 3);
  table.clear();
  CHECK(table.find(7) == nullptr);
}

}  // namespace faultline::checkpoints
