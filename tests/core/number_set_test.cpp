// NumberSet: each number counts once, whatever the ranges in which it comes.

#include "sim/core/number_set.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "sim/core/metrics.hpp"
#include "sim/core/random.hpp"

using namespace faultline;

TEST_CASE("a set of numbers counts every number once") {
  Stream random(5, 0, Purpose::workload, 0);
  for (int run = 0; run < 100; ++run) {
    NumberSet numbers;
    std::set<std::uint32_t> expected;
    for (int i = 0; i < 30; ++i) {
      const auto begin = static_cast<std::uint32_t>(random.below(60));
      const auto end = begin + 1 + static_cast<std::uint32_t>(random.below(6));
      std::uint64_t fresh = 0;
      for (std::uint32_t number = begin; number < end; ++number)
        fresh += expected.insert(number).second ? 1 : 0;
      CHECK(numbers.add(begin, end) == fresh);
      CHECK(numbers.size() == expected.size());
    }
  }
}

TEST_CASE("the sets of a run's metrics are their own, go along in a copy, and are no metrics") {
  Metrics earlier;
  CHECK(earlier.numbers("done").add(0, 4) == 4);
  Metrics all = earlier;
  CHECK(all.numbers("done").add(2, 6) == 2);
  CHECK(all.numbers("begun").size() == 0);
  CHECK(earlier.numbers("done").size() == 4);
  CHECK(all.values().empty());
  all.close_samples();
  CHECK(all.values().empty());
  CHECK(all.numbers("done").size() == 0);
}
