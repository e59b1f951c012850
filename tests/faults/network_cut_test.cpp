// SPDX-License-Identifier: Apache-2.0

// When two ends of a network that is cut can reach each other.

#include "sim/faults/network_cut.hpp"

#include <catch2/catch.hpp>

namespace faultline::faults {

TEST_CASE("two ends are connected again when the last of the cuts that follow each other heals") {
  const NetworkCut cut({{.groups = {{0}, {2}}, .from_s = 10, .to_s = 20},
                        {.groups = {{2}, {0, 1}}, .from_s = 15, .to_s = 30},
                        {.groups = {{0}, {2}}, .from_s = 40, .to_s = kNever}},
                       3, 3);
  const NetworkCut::End one{.actor = 0, .node = 0};
  const NetworkCut::End other{.actor = 2, .node = 2};
  const NetworkCut::End beside{.actor = 1, .node = 1};
  CHECK(cut.connected_s(one, other, 5) == 5);
  CHECK(cut.connected_s(one, other, 10) == 30);
  CHECK(cut.connected_s(other, one, 30) == 30);
  CHECK(cut.connected_s(one, other, 40) == kNever);
  CHECK(cut.connected_s(one, beside, 50) == 50);
  CHECK(cut.connected_s(beside, other, 10) == 10);
  CHECK(cut.connected_s(beside, other, 16) == 30);
}

TEST_CASE("a message is lost in a cut that loses messages, and waits until the end of the others") {
  const NetworkCut cut({{.groups = {{0}, {2}}, .from_s = 10, .to_s = 20, .waits = true},
                        {.groups = {{0}, {2}}, .from_s = 15, .to_s = 30},
                        {.groups = {{0}, {2}}, .from_s = 20, .to_s = 25, .waits = true}},
                       3, 3);
  const NetworkCut::End one{.actor = 0, .node = 0};
  const NetworkCut::End other{.actor = 2, .node = 2};
  CHECK(cut.loses());
  CHECK(cut.delays());
  CHECK_FALSE(cut.separates(one, other, 12));
  CHECK(cut.wait_s(one, other, 12) == 13);
  CHECK(cut.separates(other, one, 26));
  CHECK(cut.wait_s(other, one, 26) == 0);
  CHECK(cut.wait_s(one, {.actor = 1, .node = 1}, 12) == 0);
  CHECK(cut.connected_s(one, other, 12) == 30);
}

}  // namespace faultline::faults
