// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/pace.hpp"

#include <catch2/catch.hpp>

namespace faultline::reproduction {

TEST_CASE("the time left follows the pace of this machine, whatever the data files say") {
  // Items that took 10, 30 and 60 s elsewhere; this machine takes five times as long.
  ReproductionPace pace({10, 30, 60});
  CHECK(pace.share() == 0);
  CHECK_FALSE(pace.left_s(20).has_value());
  pace.begin_item(4);
  pace.worked(1);
  CHECK(pace.share() == Approx(0.025));
  CHECK(*pace.left_s(12.5) == Approx(487.5));
  pace.worked(3);
  CHECK(pace.item_is_done());
  pace.end_item();
  pace.begin_item(1000);
  pace.worked(500);
  CHECK_FALSE(pace.item_is_done());
  CHECK(pace.share() == Approx(0.25));
  CHECK(*pace.left_s(125) == Approx(375));
  pace.end_item();
  CHECK(pace.share() == Approx(0.4));
  pace.begin_item(0);
  pace.end_item();
  CHECK(pace.share() == 1);
  CHECK(*pace.left_s(500) == 0);
}

TEST_CASE("items that are said to take no time have no share") {
  ReproductionPace pace({0, 0});
  pace.begin_item(2);
  pace.worked(1);
  CHECK(pace.share() == 0);
  CHECK_FALSE(pace.left_s(5).has_value());
  pace.end_item();
  pace.end_item();
  CHECK(pace.share() == 1);
}

}  // namespace faultline::reproduction
