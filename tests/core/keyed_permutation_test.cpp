// SPDX-License-Identifier: Apache-2.0

// A keyed permutation leads each number to another one, and any order is as likely as another.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "sim/core/keyed_permutation.hpp"
#include "sim/core/random.hpp"

namespace faultline {

namespace {

std::vector<std::uint32_t> order_of(std::uint32_t size, std::uint64_t key) {
  const KeyedPermutation permutation(size, key);
  std::vector<std::uint32_t> order(size);
  for (std::uint32_t position = 0; position < size; ++position)
    order[position] = permutation(position);
  return order;
}

bool is_permutation(std::vector<std::uint32_t> order) {
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> all(order.size());
  std::iota(all.begin(), all.end(), 0U);
  return order == all;
}

/// The chi-square statistic of counts that should all be the same.
double chi_square(const std::vector<std::uint32_t>& counts, double expected) {
  double sum = 0;
  for (const std::uint32_t count : counts) sum += (count - expected) * (count - expected);
  return sum / expected;
}

}  // namespace

TEST_CASE("a keyed permutation is one, of any size and under any key") {
  for (std::uint32_t size = 1; size <= 130; ++size)
    for (std::uint64_t key = 0; key < 50; ++key) {
      INFO("size " << size << ", key " << key);
      REQUIRE(is_permutation(order_of(size, key)));
    }
  for (const std::uint32_t size : {255U, 256U, 257U, 1023U, 1024U, 1025U, 49152U, 65536U, 65537U})
    for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
      INFO("size " << size << ", key " << key);
      REQUIRE(is_permutation(order_of(size, key)));
    }
}

TEST_CASE("a keyed permutation stays within the largest size") {
  constexpr std::uint32_t kLargest = 0xffffffff;
  const KeyedPermutation permutation(kLargest, 7);
  std::vector<std::uint32_t> seen;
  for (std::uint32_t position = kLargest - 1000; position < kLargest; ++position) {
    seen.push_back(permutation(position));
    REQUIRE(seen.back() < kLargest);
  }
  std::sort(seen.begin(), seen.end());
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

// The 99.99 % quantiles of chi-square with 23 and 63 degrees of freedom are 57.1 and 112.
TEST_CASE("all orders of four numbers are as likely as each other") {
  constexpr std::uint32_t kKeys = 24000;
  std::map<std::vector<std::uint32_t>, std::uint32_t> times;
  Stream random(1, 0, Purpose::failure_detection, 0);
  for (std::uint32_t i = 0; i < kKeys; ++i) ++times[order_of(4, random.next())];
  REQUIRE(times.size() == 24);
  std::vector<std::uint32_t> counts;
  counts.reserve(times.size());
  for (const auto& [order, count] : times) counts.push_back(count);
  CHECK(chi_square(counts, kKeys / 24.0) < 57.1);
}

TEST_CASE("each number is as likely as another at each position") {
  constexpr std::uint32_t kKeys = 6400;
  constexpr std::uint32_t kSize = 64;
  Stream random(2, 0, Purpose::failure_detection, 0);
  std::vector<std::vector<std::uint32_t>> times(kSize, std::vector<std::uint32_t>(kSize));
  for (std::uint32_t i = 0; i < kKeys; ++i) {
    const KeyedPermutation permutation(kSize, random.next());
    for (const std::uint32_t position : {0U, 1U, 31U, 63U})
      ++times[position][permutation(position)];
  }
  for (const std::uint32_t position : {0U, 1U, 31U, 63U}) {
    INFO("position " << position);
    CHECK(chi_square(times[position], kKeys / double{kSize}) < 112);
  }
}

}  // namespace faultline
