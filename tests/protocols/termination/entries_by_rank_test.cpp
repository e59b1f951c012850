// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/entries_by_rank.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "sim/core/random.hpp"

namespace faultline::termination {

namespace {

std::uint64_t moves = 0;

struct CountedEntry {
  Rank rank = kNobody;
  std::uint64_t value = 0;

  CountedEntry() = default;
  CountedEntry(Rank of_rank, std::uint64_t with_value) : rank(of_rank), value(with_value) {}
  CountedEntry(const CountedEntry&) = default;
  CountedEntry& operator=(const CountedEntry&) = default;
  CountedEntry(CountedEntry&& other) noexcept : rank(other.rank), value(other.value) { ++moves; }
  CountedEntry& operator=(CountedEntry&& other) noexcept {
    rank = other.rank;
    value = other.value;
    ++moves;
    return *this;
  }
  ~CountedEntry() = default;
};

void check_equal(EntriesByRank<CountedEntry>& table,
                 const std::map<Rank, std::uint64_t>& expected) {
  auto place = expected.begin();
  for (const CountedEntry& entry : table) {
    REQUIRE(place != expected.end());
    REQUIRE(entry.rank == place->first);
    REQUIRE(entry.value == place->second);
    ++place;
  }
  REQUIRE(place == expected.end());
  REQUIRE(table.size() == expected.size());
  REQUIRE(table.empty() == expected.empty());
}

}  // namespace

TEST_CASE("a rank table has the same entries as a map, in the same order") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Stream random(seed, 0, Purpose::workload, 0);
    const std::uint64_t ranks = seed % 2 == 0 ? 1000 : 20;
    EntriesByRank<CountedEntry> table;
    std::map<Rank, std::uint64_t> expected;
    for (std::uint64_t step = 0; step < 4000; ++step) {
      const auto rank = static_cast<Rank>(random.below(ranks));
      const CountedEntry* known = table.find(rank);
      REQUIRE((known != nullptr) == (expected.count(rank) == 1));
      // It grows at first, and empties again.
      if (known == nullptr && (step < 2000 || random.below(4) == 0)) {
        table.insert(rank) = {rank, step};
        expected[rank] = step;
      } else if (known != nullptr && (step >= 2000 || random.below(4) == 0)) {
        REQUIRE(known->value == expected.at(rank));
        table.erase(rank);
        expected.erase(rank);
      }
      if (step % 50 == 0) check_equal(table, expected);
    }
    EntriesByRank<CountedEntry> copy = table;
    table.clear();
    check_equal(table, {});
    check_equal(copy, expected);
    table.insert(7) = {7, 1};
    check_equal(table, {{7, 1}});
  }
}

TEST_CASE("a rank table of many entries moves few of them for each change") {
  constexpr Rank kRanks = 20000;
  EntriesByRank<CountedEntry> table;
  moves = 0;
  // In an order that jumps about, and then from the first on, which costs a single array the most.
  for (Rank i = 0; i < kRanks; ++i) {
    const Rank rank = static_cast<Rank>(std::uint64_t{i} * 7919 % kRanks);
    table.insert(rank) = {rank, i};
  }
  for (Rank rank = 0; rank < kRanks; ++rank) table.erase(rank);
  CHECK(table.empty());
  CHECK(moves / kRanks < 200);  // in and out
}

}  // namespace faultline::termination
