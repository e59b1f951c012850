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

TEST_CASE("a node whose router is down reaches itself alone, and everybody after the repair") {
  const NetworkCut cut({}, 4, 3,
                       {{.node = 1, .from_s = 10, .to_s = 20},
                        {.node = 1, .from_s = 15, .to_s = 18},
                        {.node = 2, .from_s = 20, .to_s = 30},
                        {.node = 1, .from_s = 40}});
  const NetworkCut::End first{.actor = 0, .node = 0};
  const NetworkCut::End second{.actor = 1, .node = 1};
  const NetworkCut::End beside{.actor = 2, .node = 1};
  const NetworkCut::End third{.actor = 3, .node = 2};
  CHECK(cut.loses());
  CHECK_FALSE(NetworkCut({}, 4, 3).loses());
  CHECK_FALSE(cut.separates(first, second, 9.9));
  CHECK(cut.separates(first, second, 10));
  CHECK(cut.separates(second, first, 19.9));
  CHECK_FALSE(cut.separates(first, second, 20));
  CHECK_FALSE(cut.separates(second, beside, 15));
  CHECK_FALSE(cut.separates(first, third, 15));
  CHECK(cut.connected_s(second, third, 12) == 30);
  CHECK(cut.connected_s(first, second, 12) == 20);
  CHECK(cut.connected_s(first, second, 50) == kNever);
}

TEST_CASE("a partition may begin before a router is repaired") {
  const NetworkCut cut(
      {{.groups = {{0}, {1}}, .from_s = 15, .to_s = 40}}, 2, 2,
      {{.node = 1, .from_s = 10, .to_s = 20}, {.node = 0, .from_s = 35, .to_s = 60}});
  CHECK(cut.connected_s({.actor = 0, .node = 0}, {.actor = 1, .node = 1}, 12) == 60);
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
