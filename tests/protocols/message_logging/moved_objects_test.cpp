// SPDX-License-Identifier: Apache-2.0

// Which objects are away from home, or are guests.

#include "protocols/message_logging/moved_objects.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace faultline::message_logging {

TEST_CASE("objects are found by their numbers, and kept in their order") {
  ByObject<Emigrant> emigrants;
  CHECK(emigrants.find(3) == nullptr);
  emigrants.of(3).host = {1, 0};
  emigrants.of(1).stage = Emigrant::Stage::back;
  emigrants.of(3).level = 2;
  CHECK(emigrants.find(3)->host == Incarnation{1, 0});
  CHECK(emigrants.find(3)->level == 2);
  std::vector<ObjectId> order;
  for (const Emigrant& emigrant : emigrants) order.push_back(emigrant.object);
  CHECK(order == std::vector<ObjectId>{1, 3});
}

TEST_CASE("no object is away when there is none, and each counts when there are some") {
  ByObject<Immigrant> immigrants;
  CHECK(all_are(immigrants, Immigrant::Stage::gone));
  CHECK(!any_is(immigrants, Immigrant::Stage::waiting));
  immigrants.of(1).stage = Immigrant::Stage::gone;
  immigrants.of(2);
  CHECK(!all_are(immigrants, Immigrant::Stage::gone));
  CHECK(any_is(immigrants, Immigrant::Stage::waiting));
  immigrants.erase_if([](const Immigrant& object) { return object.object == 2; });
  CHECK(all_are(immigrants, Immigrant::Stage::gone));
}

}  // namespace faultline::message_logging
