// SPDX-License-Identifier: Apache-2.0

// The graphs over which reports spread: their neighbours, how far they reach, and whom deaths cut
// off.

#include "protocols/failure_detection/broadcast_graph.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "protocols/failure_detection/member_circle.hpp"

namespace faultline::failure_detection {

namespace {

using Distances = std::vector<std::uint32_t>;

Distances bmg(std::uint32_t members) {
  return binomial_distances(members, members, SendOrder::tree_first);
}

/// D as the issue of the graph defines it: the values of +-2^k mod N, k from 0 to log2 N, without
/// 0.
std::set<std::uint32_t> by_brute_force(std::uint32_t members) {
  std::set<std::uint32_t> values;
  for (std::uint32_t k = 0; (1U << k) <= members; ++k)
    for (std::uint32_t other = 1; other < members; ++other)
      if ((other + members - (1U << k) % members) % members == 0 ||
          (other + (1U << k)) % members == 0)
        values.insert(other);
  return values;
}

using Neighbours = std::function<Distances(std::uint32_t member)>;

/// The number of hops after which the last member has a message that begins at `from`.
std::uint32_t hops(std::uint32_t members, std::uint32_t from, const Neighbours& neighbours) {
  std::vector<bool> has(members, false);
  has[from] = true;
  std::vector<std::uint32_t> latest{from};
  std::uint32_t reached = 1;
  std::uint32_t rounds = 0;
  for (; !latest.empty() && reached < members; ++rounds) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t member : latest)
      for (const std::uint32_t distance : neighbours(member)) {
        const std::uint32_t other = (member + distance) % members;
        if (has[other]) continue;
        has[other] = true;
        ++reached;
        next.push_back(other);
      }
    latest.swap(next);
  }
  return reached == members ? rounds : UINT32_MAX;
}

/// The members that have a message in the end which begins at the first of the living: each of them
/// that gets it sends it to all its neighbours. A set is a bit for each member.
std::uint32_t reached_of(std::uint32_t members, std::uint32_t living, const Distances& distances) {
  std::uint32_t reached = living & (0 - living);
  for (std::uint32_t before = 0; before != reached;) {
    before = reached;
    for (const std::uint32_t distance : distances)
      reached |= (before << distance | before >> (members - distance)) & living;
  }
  return reached;
}

}  // namespace

TEST_CASE("members of a circle are counted round it") {
  const MemberCircle circle{100, 5};
  CHECK(circle.after(104) == 100);
  CHECK(circle.before(100) == 104);
  CHECK(circle.after(102, 4) == 101);
  CHECK(circle.steps(103, 101) == 3);
  CHECK(circle.steps(101, 101) == 0);
  CHECK(circle.contains(104));
  CHECK_FALSE(circle.contains(105));
  CHECK_FALSE(circle.contains(99));
}

TEST_CASE("a member of the binomial graph has as many neighbours as there are distinct +-2^k") {
  for (std::uint32_t members = 1; members <= 600; ++members) {
    const Distances distances = bmg(members);
    CHECK(std::set<std::uint32_t>(distances.begin(), distances.end()) == by_brute_force(members));
    CHECK(distances.size() == by_brute_force(members).size());
  }
  CHECK(bmg(12) == Distances{1, 2, 4, 8, 11, 10});
  CHECK(bmg(65536).size() == 31);
  CHECK(bmg(2) == Distances{1});
  CHECK(bmg(1).empty());
}

TEST_CASE("the orders of sending have the same neighbours") {
  CHECK(binomial_distances(12, 12, SendOrder::alternating) == Distances{1, 11, 2, 10, 4, 8});
  CHECK(binomial_distances(11, 11, SendOrder::alternating) == Distances{1, 10, 2, 9, 4, 7, 8, 3});
  CHECK(binomial_distances(11, 11 / 2, SendOrder::alternating) == Distances{1, 10, 2, 9, 4, 7});
}

// All sets of fewer than D dead: if the living are still connected, everybody hears of a report
// that one of them has, whatever the dead had sent before they died.
TEST_CASE("fewer than D deaths cut nobody off, and D can") {
  for (std::uint32_t members = 2; members <= 16; ++members) {
    const Distances distances = bmg(members);
    const auto D = static_cast<int>(distances.size());
    const std::uint32_t all = (1U << members) - 1;
    std::uint32_t cut_off = 0;
    std::uint32_t cut_off_by_D = 0;
    for (std::uint32_t dead = 0; dead < all; ++dead) {
      const int deaths = __builtin_popcount(dead);
      if (deaths > D) continue;
      const std::uint32_t living = all & ~dead;
      if (reached_of(members, living, distances) == living) continue;
      ++(deaths < D ? cut_off : cut_off_by_D);
    }
    INFO(members << " members");
    CHECK(cut_off == 0);
    // Nobody is left to be cut off where everybody is a neighbour of everybody.
    CHECK((cut_off_by_D > 0) == (distances.size() + 1 < members));
  }
}

// "A death in the middle of a broadcast" at 12 members: six deaths, its neighbours, leave one
// alone, although 2 log2 12 is above 7.
TEST_CASE("six deaths among twelve members cut one off") {
  const Distances distances = bmg(12);
  std::uint32_t living = (1U << 12U) - 1;
  for (const std::uint32_t distance : distances) living &= ~(1U << distance);
  CHECK(__builtin_popcount(living) == 6);
  CHECK(reached_of(12, living, distances) == 1);
}

TEST_CASE("the graph that PRRTE builds needs more hops than the binomial graph") {
  struct Case {
    std::uint32_t members;
    std::uint32_t as_built;
    std::uint32_t of_bmg;
  };
  for (const Case& at :
       {Case{64, 4, 3}, Case{1024, 8, 5}, Case{16384, 14, 7}, Case{65536, 15, 8}}) {
    const Neighbours as_built = [&](std::uint32_t member) {
      return prrte_distances(at.members, member % 2 == 0);
    };
    const Distances distances = bmg(at.members);
    INFO(at.members << " members");
    CHECK(std::max(hops(at.members, 0, as_built), hops(at.members, 1, as_built)) == at.as_built);
    CHECK(hops(at.members, 0, [&](std::uint32_t) { return Distances(distances); }) == at.of_bmg);
  }
}

TEST_CASE(
    "even members of PRRTE's graph begin with the shortest distance, odd ones leave one out") {
  CHECK(prrte_distances(64, true) == Distances{1, 63, 3, 61, 7, 57, 15, 49, 31, 33});
  CHECK(prrte_distances(64, false) == Distances{15, 49, 7, 57, 3, 61, 1, 63});
  CHECK(prrte_distances(2, true) == Distances{1});
  CHECK(prrte_distances(2, false).empty());
}

TEST_CASE("the degree of a member of a tree counts its parent and its children") {
  for (const std::uint32_t radix : {1U, 2U, 3U, 64U})
    for (const std::uint32_t members : {1U, 2U, 7U, 40U, 65U}) {
      const RoutingTree tree{radix};
      std::vector<std::uint32_t> degrees(members);
      for (std::uint32_t member = 1; member < members; ++member) {
        ++degrees[member];
        ++degrees[tree.parent(member)];
      }
      for (std::uint32_t member = 0; member < members; ++member)
        CHECK(tree.degree(member, members) == degrees[member]);
    }
}

TEST_CASE("what is relayed along a tree arrives, over the nearest common ancestor") {
  for (const std::uint32_t radix : {1U, 2U, 3U, 64U}) {
    const RoutingTree tree{radix};
    for (std::uint32_t from = 0; from < 40; ++from)
      for (std::uint32_t to = 0; to < 40; ++to) {
        if (from == to) continue;
        std::set<std::uint32_t> above;
        for (std::uint32_t member = from; member > 0; member = tree.parent(member))
          above.insert(member);
        auto up_and_down = static_cast<std::uint32_t>(above.size());
        for (std::uint32_t member = to; member > 0; member = tree.parent(member))
          above.count(member) > 0 ? --up_and_down : ++up_and_down;
        std::uint32_t taken = 0;
        for (std::uint32_t at = from; at != to && taken <= 80; ++taken) at = tree.next_hop(at, to);
        CHECK(taken == up_and_down);
      }
  }
}

}  // namespace faultline::failure_detection
