// SPDX-License-Identifier: Apache-2.0

// Arrays that lie with the components.

#include "sim/core/component_memory.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>

namespace faultline {

TEST_CASE("a vector with the components can be larger than a piece of their storage") {
  constexpr std::size_t kSize = 3 * kLargestPiece / sizeof(std::uint64_t);
  ComponentVector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < kSize; ++i) numbers.push_back(i);
  std::uint64_t sum = 0;
  for (const std::uint64_t number : numbers) sum += number;
  CHECK(sum == kSize * (kSize - 1) / 2);
}

}  // namespace faultline
