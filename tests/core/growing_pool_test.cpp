// SPDX-License-Identifier: Apache-2.0

// Storage of objects that come and go.

#include "sim/core/growing_pool.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sim/core/invariant.hpp"
#include "sim/core/split_mix.hpp"

namespace faultline {

namespace {

struct Thing {
  std::uint64_t number = 0;
  Thing* next = nullptr;
};

/// Hands out objects side by side, as a large pool does.
using Things = GrowingPool<Thing, 64, 0>;
/// A pool that is small at first.
using GrowingThings = GrowingPool<Thing, 64, 200>;

/// Takes and gives back at random. `takes_of_16`: the number of steps in 16 that take.
template <class Pool>
struct Churn {
  Pool pool;
  std::vector<Thing*> taken;

  void step(std::uint64_t draw, std::uint64_t takes_of_16 = 9) {
    if (taken.empty() || draw % 16 < takes_of_16) {
      Thing* thing = pool.take();
      thing->number = draw;
      taken.push_back(thing);
    } else {
      const std::size_t place = draw / 16 % taken.size();
      pool.give_back(taken[place]);
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
  [[nodiscard]] std::set<Thing*> in_use() const { return {taken.begin(), taken.end()}; }
};

/// Takes all objects that there is storage for.
template <class Pool>
void take_all(Pool& pool, std::vector<Thing*>& taken) {
  while (taken.size() < pool.places()) taken.push_back(pool.take());
}

/// The places of all objects of a pool, in the order of its chunks.
std::map<Thing*, std::size_t> places_of(Things& pool) {
  std::map<Thing*, std::size_t> places;
  pool.for_each([&](Thing& thing) { places.emplace(&thing, places.size()); });
  return places;
}

}  // namespace

TEMPLATE_TEST_CASE("a pool never hands out an object that is in use, and hands out each free one",
                   "", Things, GrowingThings) {
  Churn<TestType> churn;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    churn.step(split_mix(i), i / 1000 % 2 == 0 ? 13 : 4);
    if (i % 500 == 0) REQUIRE(churn.in_use().size() == churn.taken.size());
  }
  take_all(churn.pool, churn.taken);
  CHECK(churn.in_use().size() == churn.pool.places());
}

TEST_CASE("in a large pool, objects that were given back in any order are taken side by side") {
  Churn<Things> churn;
  for (std::uint64_t i = 0; i < 5000; ++i) churn.step(split_mix(i));
  take_all(churn.pool, churn.taken);
  // Nothing is ready now. Two of three are given back, in an order of no use.
  const std::map<Thing*, std::size_t> places = places_of(churn.pool);
  std::vector<Thing*> given_back;
  for (Thing* thing : churn.taken)
    if (split_mix(places.at(thing)) % 3 != 0) given_back.push_back(thing);
  std::ranges::sort(given_back, {}, [&](Thing* thing) { return split_mix(places.at(thing) + 1); });
  for (Thing* thing : given_back) churn.pool.give_back(thing);
  std::ranges::sort(given_back, {}, [&](Thing* thing) { return places.at(thing); });
  for (Thing* thing : given_back) REQUIRE(churn.pool.take() == thing);
}

TEST_CASE("in a small pool, what was given back last is taken first") {
  GrowingPool<Thing, 64> pool;
  std::vector<Thing*> taken(1000);
  for (Thing*& thing : taken) thing = pool.take();
  for (Thing* thing : taken) pool.give_back(thing);
  for (std::size_t i = taken.size(); i-- > 0;) REQUIRE(pool.take() == taken[i]);
}

TEST_CASE("when only few are free, the latest one is taken first in a large pool, too") {
  Things pool;
  std::vector<Thing*> taken(1000);
  for (Thing*& thing : taken) thing = pool.take();
  take_all(pool, taken);
  REQUIRE(pool.places() / 64 > 3);
  for (const std::size_t place : {400, 30, 700}) pool.give_back(taken[place]);
  for (const std::size_t place : {700, 30, 400}) CHECK(pool.take() == taken[place]);
}

TEMPLATE_TEST_CASE("a pool does not grow while it has free objects", "", Things, GrowingThings) {
  TestType pool;
  std::vector<Thing*> taken(1000);
  for (Thing*& thing : taken) thing = pool.take();
  take_all(pool, taken);
  const std::size_t places = pool.places();
  for (const std::size_t at_once : {1, 2, 15, 16, 17, 100, 999}) {
    for (int round = 0; round < 20; ++round) {
      for (std::size_t i = 0; i < at_once; ++i) pool.give_back(taken[i]);
      for (std::size_t i = 0; i < at_once; ++i) taken[i] = pool.take();
    }
  }
  CHECK(std::set<Thing*>(taken.begin(), taken.end()).size() == places);
  CHECK(pool.places() == places);
}

TEMPLATE_TEST_CASE(
    "a copy of a pool has its own objects and links, and frees and takes as the pool does", "",
    Things, GrowingThings) {
  Churn<TestType> churn;
  for (std::uint64_t i = 0; i < 5000; ++i) churn.step(split_mix(i));
  for (std::size_t i = 1; i < churn.taken.size(); ++i) churn.taken[i]->next = churn.taken[i - 1];
  TestType copy(churn.pool);
  CHECK(copy.counterpart(nullptr, churn.pool) == nullptr);
  for (Thing* thing : churn.taken) {
    Thing* mine = copy.counterpart(thing, churn.pool);
    REQUIRE(mine != thing);
    REQUIRE(mine->number == thing->number);
    REQUIRE(mine->next == copy.counterpart(thing->next, churn.pool));
  }
  for (std::uint64_t i = 5000; i < 10000; ++i) {
    const std::uint64_t draw = split_mix(i);
    if (draw % 16 < 9) {
      churn.taken.push_back(churn.pool.take());
      const Thing* mine = copy.take();  // only now it has all chunks of the other
      REQUIRE(copy.counterpart(churn.taken.back(), churn.pool) == mine);
    } else {
      const std::size_t place = draw / 16 % churn.taken.size();
      copy.give_back(copy.counterpart(churn.taken[place], churn.pool));
      churn.pool.give_back(churn.taken[place]);
      churn.taken.erase(churn.taken.begin() + static_cast<std::ptrdiff_t>(place));
    }
    REQUIRE(copy.places() == churn.pool.places());
  }
}

TEST_CASE("a link that leads out of a pool is found when the pool is copied") {
  Things pool;
  Thing outside;
  pool.take()->next = &outside;
  CHECK_THROWS_AS(Things(pool), BrokenInvariant);
}

}  // namespace faultline
