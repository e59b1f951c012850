// SPDX-License-Identifier: Apache-2.0

// Lists that lie with the components.

#include "sim/core/component_memory.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>

using namespace faultline;

namespace {

struct alignas(64) Line {
  std::uint64_t number = 0;
};

template <class Entry>
ComponentBlocks<Entry> counted(std::size_t size) {
  ComponentBlocks<Entry> blocks;
  for (std::size_t i = 0; i < size; ++i) blocks.add() = Entry{i};
  return blocks;
}

}  // namespace

TEST_CASE("a list that grows by blocks keeps its entries where they are") {
  ComponentBlocks<std::uint64_t> blocks = counted<std::uint64_t>(1);
  const std::uint64_t* const first = &blocks[0];
  constexpr std::size_t kSize = 1000;
  for (std::size_t i = 1; i < kSize; ++i) blocks.add() = i;
  CHECK(&blocks[0] == first);
  CHECK(blocks.size() == kSize);
  for (std::size_t i = 0; i < kSize; ++i) REQUIRE(blocks[i] == i);
}

TEST_CASE("entries of a cache line each lie in one") {
  const ComponentBlocks<Line> blocks = counted<Line>(100);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    REQUIRE(blocks[i].number == i);
    REQUIRE(reinterpret_cast<std::uintptr_t>(&blocks[i]) % alignof(Line) == 0);
  }
}

TEST_CASE("an entry is found from any other one") {
  ComponentBlocks<Line> blocks = counted<Line>(40);  // three blocks
  for (std::size_t known = 0; known < blocks.size(); ++known)
    for (std::size_t place = 0; place < blocks.size(); ++place)
      REQUIRE(blocks.from(&blocks[known], known, place) == &blocks[place]);
}

TEST_CASE("a copy knows nothing of where its original has something") {
  int number = 3;
  OwnPlace<int> place;
  place.at = &number;
  const OwnPlace<int> copy = place;
  CHECK(copy.at == nullptr);
  OwnPlace<int> assigned;
  assigned.at = &number;
  assigned = copy;
  CHECK(assigned.at == nullptr);
  const OwnPlace<int>& same = place;
  place = same;
  CHECK(place.at == &number);
}

TEST_CASE("a copy of a list that grows by blocks has entries of its own") {
  ComponentBlocks<std::uint64_t> blocks = counted<std::uint64_t>(200);
  const ComponentBlocks<std::uint64_t> copy = blocks;
  blocks[150] = 7;
  blocks.clear();
  CHECK(blocks.size() == 0);
  CHECK(copy.size() == 200);
  CHECK(copy[150] == 150);
}

TEST_CASE("a cleared list takes up its blocks again") {
  ComponentBlocks<std::uint64_t> blocks = counted<std::uint64_t>(200);
  const std::uint64_t* const first = &blocks[0];
  blocks.clear();
  blocks.add() = 3;
  CHECK(&blocks[0] == first);
  CHECK(blocks[0] == 3);
}

TEST_CASE("a vector with the components can be larger than a piece of their storage") {
  constexpr std::size_t kSize = 3 * kLargestPiece / sizeof(std::uint64_t);
  ComponentVector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < kSize; ++i) numbers.push_back(i);
  std::uint64_t sum = 0;
  for (const std::uint64_t number : numbers) sum += number;
  CHECK(sum == kSize * (kSize - 1) / 2);
}
