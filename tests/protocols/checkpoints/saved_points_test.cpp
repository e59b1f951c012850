// SPDX-License-Identifier: Apache-2.0

// The checkpoints of one rank that are still there, and what says when all have one.

#include "protocols/checkpoints/saved_points.hpp"

#include <catch2/catch.hpp>

#include "protocols/checkpoints/gathering.hpp"

namespace faultline::checkpoints {

namespace {

SavedPoints saved(const std::vector<std::uint64_t>& iterations) {
  SavedPoints points;
  for (const std::uint64_t iteration : iterations) points.add({.iteration = iteration});
  return points;
}

}  // namespace

TEST_CASE("the last two checkpoints stay, and the beginning as long as there is but one") {
  CHECK(saved({}).newest() == 0);
  CHECK(saved({3}).oldest() == 0);
  const SavedPoints three = saved({3, 6, 9});
  CHECK(three.iterations() == std::vector<std::uint64_t>{6, 9});
  CHECK(three.oldest() == 6);
  CHECK(three.newest() == 9);
  CHECK(!three.find(3));
  CHECK(three.find(0)->is_elsewhere);
}

TEST_CASE("a checkpoint that somebody may still go back to stays, too") {
  SavedPoints points = saved({3, 6});
  points.add({.iteration = 9}, 3);
  CHECK(points.oldest() == 3);
}

TEST_CASE("who goes back saves again what was saved later") {
  SavedPoints points = saved({3, 6});
  points.go_back_to(3);
  CHECK(points.iterations() == std::vector<std::uint64_t>{3});
}

TEST_CASE("a rank of a tree waits for itself and for all its children") {
  Gathering gathering;
  gathering.add_child();
  CHECK(!gathering.is_complete(1));
  gathering.add_own();
  CHECK(gathering.is_complete(1));
  CHECK(!gathering.is_complete(2));
  gathering.add_child();
  CHECK(gathering.is_complete(2));
  CHECK(gathering.exceeds(1));
  gathering.reset();
  CHECK(!gathering.has_own());
  CHECK(!gathering.is_complete(0));
}

}  // namespace faultline::checkpoints
