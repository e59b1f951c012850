// SPDX-License-Identifier: Apache-2.0

// Which deaths are those of a daemon, too, and which a daemon is told of.

#include <catch2/catch.hpp>

#include "sim/engine/membership/death_list.hpp"

namespace faultline::engine {

namespace {

constexpr Incarnation kNone{};
constexpr Incarnation kDaemon{8, 0};

StateDigest digest_of(const engine::DeathList& deaths) {
  Digest into;
  into.add(deaths);
  return into.value();
}

}  // namespace

TEST_CASE("a daemon's death covers the ranks that died before it, and those that die with it") {
  engine::DeathList deaths;
  const std::uint32_t earlier =
      deaths.add({.dead = {3, 0}, .daemon = kNone, .time_s = 1.0, .silent = false});
  const std::uint32_t elsewhere =
      deaths.add({.dead = {5, 2}, .daemon = kNone, .time_s = 2.0, .silent = true});
  deaths.cover({3, 0}, kDaemon);
  const std::uint32_t with =
      deaths.add({.dead = {4, 0}, .daemon = kDaemon, .time_s = 3.0, .silent = true});
  deaths.add({.dead = kDaemon, .daemon = kNone, .time_s = 3.0, .silent = true});
  CHECK(deaths.hosted_by(kDaemon) == std::vector<std::uint32_t>{earlier, with});
  CHECK(deaths[earlier].earlier);
  CHECK_FALSE(deaths[with].earlier);
  CHECK(deaths[elsewhere].daemon.actor == kNobody);
  CHECK(deaths.hosted_by({9, 0}).empty());
  deaths.cover({3, 0}, {8, 1});  // the next daemon of the node did not host it
  CHECK(deaths.hosted_by({8, 1}).empty());
  CHECK(deaths.number_of({5, 2}) == elsewhere);
  CHECK_FALSE(deaths.number_of({5, 1}));
  CHECK(deaths.of({4, 0}).time_s == 3.0);
}

TEST_CASE("a death is under the daemon that lived then") {
  engine::DeathList deaths;
  const std::uint32_t first =
      deaths.add({.dead = {3, 0}, .daemon = kNone, .time_s = 1.0, .silent = false});
  deaths.add({.dead = kDaemon, .daemon = kNone, .time_s = 2.0, .silent = false});
  const std::uint32_t later =
      deaths.add({.dead = {3, 1}, .daemon = kNone, .time_s = 3.0, .silent = false});
  CHECK(deaths.is_under(first, kDaemon));
  CHECK_FALSE(deaths.is_under(first, {8, 1}));
  CHECK(deaths.is_under(later, {8, 1}));
}

TEST_CASE("the order and the times of deaths are no part of their digest") {
  const Death one{.dead = {3, 0}, .daemon = kNone, .time_s = 1.0, .silent = false};
  const Death other{.dead = {4, 1}, .daemon = kNone, .time_s = 2.0, .silent = true};
  const Death later{.dead = {3, 0}, .daemon = kNone, .time_s = 5.0, .silent = false};
  engine::DeathList first;
  first.add(one);
  first.add(other);
  engine::DeathList second;
  second.add(other);
  second.add(later);
  CHECK(digest_of(first) == digest_of(second));
  second.cover({3, 0}, kDaemon);
  CHECK(digest_of(first) != digest_of(second));
}

}  // namespace faultline::engine
