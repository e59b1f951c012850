// Storage of objects that come and go.

#include "sim/core/growing_pool.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "sim/core/split_mix.hpp"

using namespace faultline;

namespace {

struct Thing {
  std::uint64_t number = 0;
  Thing* next = nullptr;
};

using Things = GrowingPool<Thing, 64>;

/// Takes and gives back at random, and more often takes. Knows what has been given back and not
/// been taken again, the latest last.
struct Churn {
  Things pool;
  std::vector<Thing*> taken;
  std::vector<Thing*> given_back;

  void step(std::uint64_t draw) {
    if (taken.empty() || draw % 5 < 3) {
      Thing* thing = pool.take();
      if (!given_back.empty()) {
        REQUIRE(thing == given_back.back());
        given_back.pop_back();
      }
      thing->number = draw;
      taken.push_back(thing);
    } else {
      const std::size_t place = draw / 5 % taken.size();
      pool.give_back(taken[place]);
      given_back.push_back(taken[place]);
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
};

}  // namespace

TEST_CASE("a pool takes the object first that was freed last, however many are free") {
  Churn churn;
  for (std::uint64_t i = 0; i < 20000; ++i) churn.step(split_mix(i));
  CHECK(std::set<Thing*>(churn.taken.begin(), churn.taken.end()).size() == churn.taken.size());
  // All that were given back come first, in the reverse order; then others, none of them twice.
  std::set<Thing*> seen(churn.taken.begin(), churn.taken.end());
  for (std::size_t left = churn.pool.places() - churn.taken.size(); left > 0; --left) {
    Thing* thing = churn.pool.take();
    if (!churn.given_back.empty()) {
      REQUIRE(thing == churn.given_back.back());
      churn.given_back.pop_back();
    }
    REQUIRE(seen.insert(thing).second);
  }
  CHECK(seen.size() == churn.pool.places());
}

TEST_CASE("a pool does not grow while it has free objects") {
  Things pool;
  std::vector<Thing*> taken(100);
  for (Thing*& thing : taken) thing = pool.take();
  const std::size_t places = pool.places();
  for (int round = 0; round < 50; ++round) {
    for (Thing* thing : taken) pool.give_back(thing);
    for (Thing*& thing : taken) thing = pool.take();
  }
  CHECK(pool.places() == places);
}

TEST_CASE("a copy of a pool frees and takes as the pool does, in storage of its own") {
  Churn churn;
  for (std::uint64_t i = 0; i < 5000; ++i) churn.step(split_mix(i));
  Things copy(churn.pool);
  for (Thing* thing : churn.taken) {
    Thing* mine = copy.counterpart(thing, churn.pool);
    REQUIRE(mine != thing);
    REQUIRE(mine->number == thing->number);
  }
  const std::size_t places = churn.pool.places();
  for (std::size_t i = churn.taken.size(); i < places; ++i)
    REQUIRE(copy.counterpart(churn.pool.take(), churn.pool) == copy.take());
  CHECK(copy.places() == places);
}
