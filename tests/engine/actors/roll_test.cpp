// SPDX-License-Identifier: Apache-2.0

// The counts of ranks, which follow what is said of each rank.

#include "sim/engine/actors/roll.hpp"

#include <catch2/catch.hpp>

namespace faultline::engine {

TEST_CASE("what is said of a rank twice is counted once") {
  Roll roll(3);
  ActorState rank;
  for (int twice = 0; twice < 2; ++twice) roll.set_announced(rank, true);
  for (int twice = 0; twice < 2; ++twice) roll.set_finished(rank, true);
  CHECK(rank.announced);
  CHECK(rank.finished);
  CHECK(roll.announced() == 1);
  CHECK(roll.finished() == 1);
  for (int twice = 0; twice < 2; ++twice) roll.set_announced(rank, false);
  CHECK_FALSE(rank.announced);
  CHECK(roll.announced() == 0);
  CHECK(roll.finished() == 1);
}

TEST_CASE("a rank that is struck off takes with it what it was counted for") {
  Roll roll(3);
  ActorState done;
  ActorState at_work;
  roll.set_announced(done, true);
  roll.set_finished(done, true);
  roll.strike_off(at_work);
  CHECK(roll.live() == 2);
  CHECK(roll.announced() == 1);
  roll.strike_off(done);
  CHECK(roll.live() == 1);
  CHECK(roll.announced() == 0);
  CHECK(roll.finished() == 0);
  roll.enter();
  CHECK(roll.live() == 2);
}

}  // namespace faultline::engine
