// SPDX-License-Identifier: Apache-2.0

// Which on_sent are to come, and which nobody waits for any more.

#include <catch2/catch.hpp>

#include "sim/engine/network/sent_promises.hpp"

namespace faultline::engine {

TEST_CASE("the number of a promise that has come is that of the next one") {
  SentPromises promises;
  const std::uint32_t one = promises.add({1, 2, 0, 0, Family::workload});
  const std::uint32_t other = promises.add({3, 4, 0, 0, Family::workload});
  CHECK(promises.size() == 2);
  CHECK(promises.take(one).to == 2);
  CHECK(promises.size() == 1);
  CHECK(promises.add({5, 6, 0, 0, Family::workload}) == one);
  CHECK(promises[one].from == 5);
  CHECK(promises[other].from == 3);
}

TEST_CASE("a rollback leaves what the layer itself and others wait for") {
  SentPromises promises;
  const std::uint32_t above = promises.add({1, 2, 0, 3, Family::workload});
  const std::uint32_t own = promises.add({1, 2, 0, 3, Family::message_logging});
  const std::uint32_t earlier_life = promises.add({1, 2, 0, 2, Family::workload});
  const std::uint32_t of_other = promises.add({2, 1, 0, 3, Family::workload});
  promises.forget_above({1, 3}, Family::message_logging);
  CHECK(promises[above].from == kNobody);
  CHECK(promises[own].from == 1);
  CHECK(promises[earlier_life].from == 1);
  CHECK(promises[of_other].from == 2);
  CHECK(promises.size() == 4);  // their events come all the same
}

}  // namespace faultline::engine
