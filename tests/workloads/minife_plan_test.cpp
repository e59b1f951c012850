// SPDX-License-Identifier: Apache-2.0

// MiniFE: the rows of each rank, and its exchanges with others, against every node's 27 neighbours.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "workloads/minife_plan.hpp"

namespace faultline::workloads {

namespace {

constexpr GridCounts kPaper{2000, 1000, 1000};
constexpr std::uint32_t kPaperRanks = 1024;

/// The owner of every node, by a table: the elements are handed down rank by rank, and each node
/// goes to the element above it or, at an upper end, to the last one.
class OwnerTable {
 public:
  OwnerTable(GridCounts elements, std::uint32_t processes) : elements_(elements) {
    element_owner_.resize(std::size_t{elements[0]} * elements[1] * elements[2]);
    divide({0, 0, 0}, elements, 2, 0, processes);
  }

  [[nodiscard]] Rank of(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return element_owner_[index(std::min(x, elements_[0] - 1), std::min(y, elements_[1] - 1),
                                std::min(z, elements_[2] - 1))];
  }

  template <class Visit>
  void for_each_node(const Visit& visit) const {
    for (std::uint32_t z = 0; z <= elements_[2]; ++z)
      for (std::uint32_t y = 0; y <= elements_[1]; ++y)
        for (std::uint32_t x = 0; x <= elements_[0]; ++x) visit(x, y, z);
  }

  /// Calls visit(owner) for each of the nodes around one and for itself.
  template <class Visit>
  void for_each_around(std::uint32_t x, std::uint32_t y, std::uint32_t z,
                       const Visit& visit) const {
    const auto low = [](std::uint32_t at) { return at > 0 ? at - 1 : 0; };
    for (std::uint32_t k = low(z); k <= std::min(z + 1, elements_[2]); ++k)
      for (std::uint32_t j = low(y); j <= std::min(y + 1, elements_[1]); ++j)
        for (std::uint32_t i = low(x); i <= std::min(x + 1, elements_[0]); ++i) visit(of(i, j, k));
  }

 private:
  [[nodiscard]] std::size_t index(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return x + std::size_t{elements_[0]} * (y + std::size_t{elements_[1]} * z);
  }

  void divide(GridCounts begin, GridCounts end, std::size_t axis, Rank first, Rank last) {
    if (last - first == 1) {
      for (std::uint32_t z = begin[2]; z < end[2]; ++z)
        for (std::uint32_t y = begin[1]; y < end[1]; ++y)
          for (std::uint32_t x = begin[0]; x < end[0]; ++x) element_owner_[index(x, y, z)] = first;
      return;
    }
    const Rank middle = first + (last - first) / 2;
    GridCounts cut_end = end;
    GridCounts cut_begin = begin;
    const std::uint32_t upper = (end[axis] - begin[axis]) * (last - middle) / (last - first);
    cut_end[axis] = cut_begin[axis] = end[axis] - upper;
    const std::size_t next = axis == 0 ? 2 : axis - 1;
    divide(begin, cut_end, next, first, middle);
    divide(cut_begin, end, next, middle, last);
  }

  GridCounts elements_;
  std::vector<Rank> element_owner_;
};

/// The bytes of each message, by sender and receiver: every node counts once for each other rank
/// that has a node around it.
std::map<std::pair<Rank, Rank>, std::uint64_t> counted_messages(const OwnerTable& owners) {
  std::map<std::pair<Rank, Rank>, std::uint64_t> bytes;
  owners.for_each_node([&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const Rank owner = owners.of(x, y, z);
    std::set<Rank> who_need_it;
    owners.for_each_around(x, y, z, [&](Rank other) { who_need_it.insert(other); });
    who_need_it.erase(owner);
    for (const Rank other : who_need_it) bytes[{owner, other}] += 8;
  });
  return bytes;
}

std::vector<std::uint64_t> counted_nonzeros(const OwnerTable& owners, std::uint32_t processes) {
  std::vector<std::uint64_t> entries(processes);
  owners.for_each_node([&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    owners.for_each_around(x, y, z, [&](Rank) { ++entries[owners.of(x, y, z)]; });
  });
  return entries;
}

void check_rows(const MiniFePlan& plan, const OwnerTable& owners) {
  std::uint64_t rows = 0;
  for (Rank rank = 0; rank < plan.processes(); ++rank) {
    const GridBox box = plan.rows(rank);
    rows += box.size();
    for (std::uint32_t z = box.begin[2]; z < box.end[2]; ++z)
      for (std::uint32_t y = box.begin[1]; y < box.end[1]; ++y)
        for (std::uint32_t x = box.begin[0]; x < box.end[0]; ++x)
          if (owners.of(x, y, z) != rank) FAIL("row " << x << ' ' << y << ' ' << z);
  }
  std::uint64_t nodes = 0;
  owners.for_each_node([&](std::uint32_t, std::uint32_t, std::uint32_t) { ++nodes; });
  REQUIRE(rows == nodes);
}

void check_halos(const MiniFePlan& plan, const OwnerTable& owners) {
  std::map<std::pair<Rank, Rank>, std::uint64_t> sent;
  std::map<std::pair<Rank, Rank>, std::uint64_t> received;
  for (Rank rank = 0; rank < plan.processes(); ++rank) {
    const HaloExchange halo = plan.halo(rank);
    for (const HaloNeighbour& to : halo.sends)
      REQUIRE(sent.insert({{rank, to.rank}, to.bytes}).second);
    for (const HaloNeighbour& from : halo.receives)
      REQUIRE(received.insert({{from.rank, rank}, from.bytes}).second);
    const auto by_rank = [](const HaloNeighbour& a, const HaloNeighbour& b) {
      return a.rank < b.rank;
    };
    REQUIRE(std::is_sorted(halo.sends.begin(), halo.sends.end(), by_rank));
    REQUIRE(std::is_sorted(halo.receives.begin(), halo.receives.end(), by_rank));
  }
  const auto counted = counted_messages(owners);
  REQUIRE(sent == counted);
  REQUIRE(received == counted);
}

}  // namespace

TEST_CASE("minife: halos are what the 27 neighbours of every node ask for", "[minife]") {
  const std::vector<std::pair<GridCounts, std::uint32_t>> cases{
      {{6, 6, 6}, 1},    {{6, 6, 6}, 2},   {{7, 5, 9}, 8},   {{8, 8, 8}, 7},  {{9, 7, 11}, 12},
      {{13, 11, 9}, 23}, {{5, 12, 9}, 30}, {{16, 8, 8}, 64}, {{4, 4, 4}, 64}, {{10, 10, 10}, 100},
      {{1, 1, 12}, 2},   {{3, 2, 5}, 5},   {{12, 20, 7}, 17}};
  for (const auto& [elements, processes] : cases) {
    CAPTURE(elements, processes);
    REQUIRE(minife_problems(elements, processes).empty());
    const MiniFePlan plan(elements, processes);
    const OwnerTable owners(elements, processes);
    check_rows(plan, owners);
    check_halos(plan, owners);
    const std::vector<std::uint64_t> entries = counted_nonzeros(owners, processes);
    for (Rank rank = 0; rank < processes; ++rank) REQUIRE(plan.nonzeros(rank) == entries[rank]);
  }
}

TEST_CASE("minife: cuts that do not meet give more than 26 neighbours, and unequal halos",
          "[minife]") {
  const MiniFePlan plan({40, 40, 40}, 81);
  std::size_t most = 0;
  bool is_equal = true;
  for (Rank rank = 0; rank < plan.processes(); ++rank) {
    const HaloExchange halo = plan.halo(rank);
    most = std::max(most, halo.sends.size());
    is_equal = is_equal && halo.sends == halo.receives;
  }
  CHECK(most > 26);
  CHECK_FALSE(is_equal);
}

TEST_CASE("minife: the experiment of fampi-2015 has 8x8x16 boxes and 21,240 halo messages",
          "[minife]") {
  const MiniFePlan plan(kPaper, kPaperRanks);
  std::array<std::set<std::uint32_t>, 3> begins;
  std::uint64_t messages = 0;
  std::uint64_t memory = 0;
  std::set<std::uint64_t> sizes;
  for (Rank rank = 0; rank < kPaperRanks; ++rank) {
    const GridBox rows = plan.rows(rank);
    for (std::size_t d = 0; d < begins.size(); ++d) begins[d].insert(rows.begin[d]);
    const HaloExchange halo = plan.halo(rank);
    messages += halo.sends.size();
    memory += plan.memory_bytes(rank);
    for (const HaloNeighbour& to : halo.sends) sizes.insert(to.bytes);
  }
  CHECK(begins[0].size() == 8);
  CHECK(begins[1].size() == 8);
  CHECK(begins[2].size() == 16);
  CHECK(messages == 21240);
  CHECK(static_cast<double>(memory) / kPaperRanks == Approx(0.97e9).epsilon(0.005));
  CHECK(*sizes.begin() == 8);
  CHECK(*sizes.rbegin() == 8UL * 251 * 126);
}

TEST_CASE("minife: a rank moves 1.08 GB in an iteration, and its state has 47 MB", "[minife]") {
  const MiniFePlan plan(kPaper, kPaperRanks);
  double moved = 0;
  double state = 0;
  for (Rank rank = 0; rank < kPaperRanks; ++rank) {
    const GridBox rows = plan.rows(rank);
    moved += static_cast<double>(plan.moved_bytes(rank)) / kPaperRanks;
    state += static_cast<double>(plan.state_bytes(rank)) / kPaperRanks;
    if (rows.begin[0] == 250 && rows.begin[1] == 125 && rows.begin[2] == 63)
      CHECK(plan.nonzeros(rank) == 27 * rows.size());
  }
  CHECK(moved == Approx(1.08e9).epsilon(0.005));
  CHECK(state == Approx(47e6).epsilon(0.005));
}

TEST_CASE("minife: a rank of 65,536 has at most 26 neighbours", "[minife]") {
  const MiniFePlan plan({2000, 1000, 1000}, 65536);
  for (Rank rank = 0; rank < plan.processes(); rank += 997) {
    CHECK(plan.halo(rank).sends.size() <= 26);
    CHECK(plan.halo(rank).sends.size() >= 7);
  }
}

TEST_CASE("minife: more boxes than rows and halos above 1 TB are refused", "[minife]") {
  CHECK(minife_problems({4, 4, 4}, 64).empty());
  const auto too_many = minife_problems({4, 4, 4}, 65);
  REQUIRE(too_many.size() == 1);
  CHECK(too_many[0].option == "nz");
  CHECK(too_many[0].message ==
        "expected more elements: with 65 processes, rank 64 would have no "
        "rows");
  CHECK(minife_problems({1, 8, 8}, 4).empty());
  CHECK(minife_problems({1, 8, 8}, 8).at(0).option == "nx");
  CHECK(minife_problems({100000, 100000, 100000}, 8).empty());  // 50,001 ^ 2 x 8 bytes: 20 GB
  CHECK(minife_problems({800000, 800000, 800000}, 8).at(0).option == "nx");  // 1.28 TB
}

}  // namespace faultline::workloads
