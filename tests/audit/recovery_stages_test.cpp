// SPDX-License-Identifier: Apache-2.0

// The stages of a recovery, from what is seen of it.

#include <catch2/catch.hpp>

#include "sim/audit/recovery_stages.hpp"

namespace faultline::audit {

namespace {

double sum_s(const RecoveryStages& stages, double now_s) {
  double sum_s = 0.0;
  for (std::size_t stage = 0; stage < kRecoveryStages; ++stage)
    sum_s += stages.time_s(static_cast<RecoveryStage>(stage), now_s);
  return sum_s;
}

/// Three ranks have lost rank 1 at 10 s, and begin a world at 20 s.
RecoveryStages regrouped() {
  RecoveryStages stages(3);
  stages.died(1, 10);
  stages.marked(0, "contributed", 4, 2, 10.5);  // rank 0 knows nothing yet
  stages.told(11);
  stages.told(12);
  stages.marked(2, "contributed", 4, 2, 13);
  stages.marked(0, "contributed", 4, 2, 14);
  stages.marked(2, "regroup", 1, 2, 15);
  stages.marked(0, "regroup", 1, 2, 16);
  stages.marked(0, "spawn", 1, 2, 18);
  stages.marked(0, "join", 1, 3, 20);
  return stages;
}

}  // namespace

TEST_CASE("each moment of a recovery counts for one stage") {
  RecoveryStages stages = regrouped();
  stages.marked(0, "restore", 2, 3, 20);
  stages.marked(0, "contributed", 0, 3, 20);
  stages.marked(1, "join", 1, 3, 22);
  stages.marked(1, "restore", 2, 3, 23);
  stages.marked(2, "join", 1, 3, 23);
  stages.marked(2, "restore", 2, 3, 24);
  stages.marked(2, "contributed", 0, 3, 24);
  stages.marked(1, "contributed", 0, 3, 27);
  stages.marked(0, "resume", 1, 3, 28);
  stages.marked(0, "redo", 2, 3, 28);
  stages.marked(1, "resume", 1, 3, 29);
  stages.marked(2, "resume", 1, 3, 30);
  stages.marked(2, "redo", 2, 3, 30);
  stages.marked(2, "redone", 3, 3, 33);
  CHECK(stages.is_under_way());
  stages.marked(0, "redone", 3, 3, 35);
  stages.marked(0, "contributed", 5, 3, 37);
  CHECK(!stages.is_under_way());
  CHECK(stages.time_s(RecoveryStage::detection, 99) == 1);
  CHECK(stages.time_s(RecoveryStage::notice, 99) == 2);
  CHECK(stages.time_s(RecoveryStage::revoke, 99) == 0);
  CHECK(stages.time_s(RecoveryStage::agreement, 99) == 2);
  CHECK(stages.time_s(RecoveryStage::shrink, 99) == 0);
  CHECK(stages.time_s(RecoveryStage::spawn, 99) == 5);
  CHECK(stages.time_s(RecoveryStage::rebuild, 99) == 4);
  CHECK(stages.time_s(RecoveryStage::restore, 99) == 3);
  CHECK(stages.time_s(RecoveryStage::commit, 99) == 3);
  CHECK(stages.time_s(RecoveryStage::redone, 99) == 5);
  CHECK(sum_s(stages, 99) == 35 - 10);
}

TEST_CASE("a recovery in which nothing is done again ends when the last program goes on") {
  RecoveryStages stages = regrouped();
  for (const Rank rank : {0U, 1U, 2U}) stages.marked(rank, "join", 1, 3, 21);
  for (const Rank rank : {0U, 1U, 2U}) stages.marked(rank, "resume", 1, 3, 25 + rank);
  CHECK(stages.time_s(RecoveryStage::rebuild, 99) == 7);
  CHECK(sum_s(stages, 99) == 27 - 10);
  stages.marked(1, "contributed", 1, 3, 50);
  CHECK(!stages.is_under_way());
  CHECK(sum_s(stages, 99) == 27 - 10);
}

TEST_CASE("a death in a recovery begins it again, and ranks that went on wait for it, too") {
  RecoveryStages stages = regrouped();
  stages.marked(0, "restore", 0, 3, 21);
  stages.marked(2, "join", 1, 3, 21);
  stages.marked(0, "resume", 1, 3, 22);
  stages.died(1, 23);
  stages.marked(2, "restore", 0, 2, 24);
  stages.marked(2, "resume", 1, 2, 24);  // all live ranks go on, but not for long
  CHECK(stages.time_s(RecoveryStage::detection, 25) == 1 + 2);
  stages.told(25);
  stages.marked(0, "regroup", 2, 2, 26);
  stages.marked(0, "join", 2, 3, 30);
  for (const Rank rank : {0U, 1U, 2U}) stages.marked(rank, "join", 2, 3, 31);
  for (const Rank rank : {0U, 1U, 2U}) stages.marked(rank, "restore", 2, 3, 32);
  for (const Rank rank : {0U, 1U, 2U}) stages.marked(rank, "resume", 2, 3, 33);
  CHECK(stages.time_s(RecoveryStage::spawn, 99) == 5 + 4);
  CHECK(sum_s(stages, 99) == 33 - 10);
}

TEST_CASE("a death while the others wait for a new world makes them wait for another one") {
  RecoveryStages stages(3);
  stages.died(1, 10);
  stages.told(11);
  stages.marked(0, "regroup", 1, 2, 12);
  stages.died(2, 15);
  stages.told(16);
  stages.marked(0, "join", 1, 1, 30);
  CHECK(stages.time_s(RecoveryStage::detection, 30) == 1 + 1);
  CHECK(stages.time_s(RecoveryStage::notice, 30) == 1);
  CHECK(stages.time_s(RecoveryStage::spawn, 30) == 3 + 14);
  CHECK(sum_s(stages, 30) == 30 - 10);
}

TEST_CASE("a recovery begins with a false report, and the death that follows it begins no other") {
  RecoveryStages stages(3);
  stages.died(1, 10);  // declared dead
  stages.told(10);
  stages.marked(1, "redo", 1, 3, 11);  // it lives, and does not know
  stages.marked(0, "regroup", 1, 3, 12);
  stages.died(1, 14, true);
  stages.marked(0, "join", 1, 3, 20);
  for (const Rank rank : {0U, 1U, 2U}) stages.marked(rank, "join", 1, 3, 21);
  for (const Rank rank : {0U, 1U, 2U}) stages.marked(rank, "resume", 1, 3, 22);
  CHECK(stages.time_s(RecoveryStage::detection, 99) == 0);
  CHECK(stages.time_s(RecoveryStage::notice, 99) == 2);
  CHECK(stages.time_s(RecoveryStage::spawn, 99) == 8);
  CHECK(sum_s(stages, 99) == 22 - 10);
}

TEST_CASE("a rank that dies after all have recovered from its false report begins no recovery") {
  RecoveryStages stages(3);
  stages.died(1, 10);
  stages.told(10);
  stages.marked(0, "shrink", 1, 3, 12);
  for (const Rank rank : {0U, 2U}) stages.marked(rank, "join", 1, 2, 14);
  for (const Rank rank : {0U, 2U}) stages.marked(rank, "resume", 1, 2, 15);
  stages.marked(0, "contributed", 2, 2, 16);
  stages.died(1, 20, true);
  CHECK_FALSE(stages.is_under_way());
  CHECK(sum_s(stages, 99) == 15 - 10);
}

TEST_CASE("a shrunk program has recovered when all that are left go on") {
  RecoveryStages stages(3);
  stages.died(1, 10);
  stages.told(11);
  stages.marked(0, "revoke", 1, 2, 12);
  stages.marked(0, "contributed", 1, 2, 12);
  stages.marked(2, "revoke", 1, 2, 14);
  stages.marked(0, "shrink", 1, 2, 17);
  for (const Rank rank : {0U, 2U}) stages.marked(rank, "join", 1, 2, 21);
  for (const Rank rank : {0U, 2U}) stages.marked(rank, "resume", 1, 2, 26);
  CHECK(stages.time_s(RecoveryStage::notice, 99) == 1);
  CHECK(stages.time_s(RecoveryStage::revoke, 99) == 2);
  CHECK(stages.time_s(RecoveryStage::agreement, 99) == 3);
  CHECK(stages.time_s(RecoveryStage::shrink, 99) == 4);
  CHECK(stages.time_s(RecoveryStage::rebuild, 99) == 5);
  CHECK(sum_s(stages, 99) == 26 - 10);
}

}  // namespace faultline::audit
