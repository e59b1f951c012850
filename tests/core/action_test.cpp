// SPDX-License-Identifier: Apache-2.0

// What handlers ask for, as the engine finds it.

#include "sim/core/action.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "sim/core/recovery_context.hpp"

namespace faultline {

namespace {

/// The turn of rank 3 in its second life.
Turn turn_of_rank() {
  Turn turn;
  turn.self = 3;
  turn.incarnation = 1;
  return turn;
}

}  // namespace

TEST_CASE("an action says which life of which actor asks, and for which component") {
  Turn turn = turn_of_rank();
  Context(turn, Family::termination).set_timer(7, 0.5, true);
  REQUIRE(turn.actions.size() == 1);
  const Action& action = turn.actions.front();
  CHECK(action.self == Incarnation{3, 1});
  CHECK(action.family == Family::termination);
  const auto& timer = std::get<Action::SetTimer>(action.request);
  CHECK(timer.key == 7);
  CHECK(timer.delay_s == 0.5);
  CHECK(timer.background);
}

TEST_CASE("an object is there as long as an action names it, however often that is copied") {
  Turn turn = turn_of_rank();
  const auto words = std::make_shared<const std::vector<std::uint64_t>>(2, 5U);
  RecoveryContext(turn, Family::message_logging)
      .host_object({.object = 9, .bytes = 16, .words = words});
  std::optional<Action> copy = turn.actions.front();
  turn.actions.clear();
  CHECK(std::get<Action::HostObject>(copy->request).packed->object == 9);
  CHECK(words.use_count() == 2);
  copy.reset();
  CHECK(words.use_count() == 1);
}

}  // namespace faultline
