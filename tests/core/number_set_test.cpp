// SPDX-License-Identifier: Apache-2.0

// NumberSet: each number counts once, whatever the ranges in which it comes.

#include "sim/core/number_set.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "sim/core/metrics.hpp"
#include "sim/core/random.hpp"

namespace faultline {

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

TEST_CASE("the set of numbers that actors report together goes along in a copy, and is no metric") {
  MetricTotals earlier;
  CHECK(earlier.numbers().add(0, 4) == 4);
  MetricTotals all = earlier;
  CHECK(all.numbers().add(2, 6) == 2);
  CHECK(earlier.numbers().size() == 4);
  Metrics result;
  all.write_to(result);
  CHECK(result.values().empty());
}

}  // namespace faultline
