// SPDX-License-Identifier: Apache-2.0

// The auditor by itself: it is told what happens, and reports what must not.

#include "sim/audit/auditor.hpp"

#include <catch2/catch.hpp>

namespace faultline::audit {

namespace {

/// All ranks have started and are idle.
Auditor started(std::uint32_t processes) {
  Auditor auditor(processes);
  for (Rank rank = 0; rank < processes; ++rank) {
    auditor.started();
    auditor.turn_over(false, false, true, 0.0);
  }
  return auditor;
}

std::vector<std::string> kinds(const Auditor& auditor) {
  std::vector<std::string> found;
  for (const Violation& violation : auditor.violations()) found.push_back(violation.kind);
  return found;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("work is not over before every rank has started") {
  Auditor auditor(2);
  auditor.started();
  auditor.turn_over(false, false, true, 0.0);
  CHECK(auditor.over_since_s() == kNever);
  auditor.announced(0, 0, 0.0);
  CHECK(kinds(auditor) == Words{"premature"});
  auditor.started();
  auditor.turn_over(false, false, true, 0.0);
  CHECK(auditor.over_since_s() == 0.0);
}

TEST_CASE("an announcement is premature while a rank is active or a message in flight") {
  for (const bool by_message : {false, true}) {
    Auditor auditor = started(2);
    if (by_message) auditor.sent();
    auditor.turn_over(false, !by_message, true, 1.0);
    CHECK(auditor.over_since_s() == kNever);
    auditor.announced(1, 0, 2.0);
    REQUIRE(kinds(auditor) == Words{"premature"});
    CHECK(auditor.violations().front().actor == 1U);
    CHECK(auditor.violations().front().time_s == 2.0);
    const std::string& detail = auditor.violations().front().detail;
    CHECK(detail.find(by_message ? "0 active ranks and 1 application" : "1 active ranks and 0") !=
          std::string::npos);
  }
}

TEST_CASE("the end is when the last work ended, and a later message postpones it") {
  Auditor auditor = started(2);
  auditor.sent();
  auditor.turn_over(false, true, true, 1.0);
  auditor.turn_over(true, false, true, 2.0);
  CHECK(auditor.over_since_s() == kNever);
  auditor.delivered();
  auditor.turn_over(false, false, true, 3.0);
  CHECK(auditor.over_since_s() == 3.0);
  auditor.turn_over(false, false, false, 4.0);  // a control message changes nothing
  CHECK(auditor.over_since_s() == 3.0);
  auditor.announced(0, 0, 5.0);
  CHECK(auditor.violations().empty());
  CHECK(auditor.termination_time_s() == 3.0);
}

TEST_CASE("a phase is judged by its first announcement") {
  Auditor auditor = started(2);
  auditor.announced(0, 0, 1.0);
  auditor.turn_over(false, true, true, 2.0);  // rank 0 has begun the next phase
  auditor.announced(1, 0, 3.0);
  CHECK(auditor.violations().empty());
  auditor.announced(1, 1, 4.0);
  CHECK(kinds(auditor) == Words{"premature"});
}

TEST_CASE("messages to the dead are not work, and a death can end the work") {
  Auditor auditor = started(2);
  auditor.sent();
  auditor.turn_over(false, true, true, 1.0);
  auditor.lost(1, 1.5);
  CHECK(auditor.over_since_s() == kNever);
  auditor.died({0, 0}, true, true, 2.0);
  CHECK(auditor.over_since_s() == 2.0);
  CHECK(auditor.application_lost() == 1);
  auditor.finish(0);
  CHECK(auditor.violations().empty());
}

TEST_CASE("every application message is delivered, lost or in flight") {
  for (std::uint64_t in_flight = 0; in_flight <= 3; ++in_flight) {
    Auditor auditor = started(2);
    for (int i = 0; i < 4; ++i) auditor.sent();
    auditor.delivered();
    auditor.lost(1, 1.5);
    auditor.finish(in_flight);
    CHECK(kinds(auditor) == (in_flight == 2 ? Words{} : Words{"message-conservation"}));
  }
}

TEST_CASE("credit that is not conserved is found at the event where it moved, and once") {
  for (const std::int64_t difference : {-5, 5}) {
    Auditor auditor = started(2);
    auditor.conserved_moved(100);
    auditor.conserved_moved(-100);
    auditor.check_conserved(0, 1.0);
    CHECK(auditor.violations().empty());
    auditor.conserved_moved(difference);
    auditor.check_conserved(1, 2.0);
    auditor.check_conserved(1, 3.0);
    REQUIRE(kinds(auditor) == Words{"credit"});
    CHECK(auditor.violations().front().time_s == 2.0);
    CHECK(auditor.violations().front().actor == 1U);
    CHECK(auditor.violations().front().detail == (difference > 0
                                                      ? "credit is not conserved: 5 too much"
                                                      : "credit is not conserved: -5 lost"));
  }
}

TEST_CASE("a death loses the credit that the dead held, and excuses no other loss") {
  Auditor auditor = started(2);
  auditor.conserved_moved(5);   // held by rank 1
  auditor.conserved_moved(-5);  // known to rank 0 to be issued
  auditor.died({1, 0}, true, false, 1.0);
  auditor.check_conserved(0, 2.0);
  CHECK(auditor.violations().empty());
  auditor.conserved_moved(-1);
  auditor.check_conserved(0, 3.0);
  CHECK(kinds(auditor) == Words{"credit"});
}

TEST_CASE("a live process that is declared dead is a false report, also before its death") {
  Auditor auditor = started(3);
  auditor.declared_dead(0, {2, 0}, true, 1.0);
  REQUIRE(kinds(auditor) == Words{"false-report"});
  CHECK(auditor.violations().front().actor == 0U);
  auditor.died({2, 0}, true, false, 2.0);
  auditor.declared_dead(1, {2, 0}, true, 3.0);
  CHECK(kinds(auditor) == Words{"false-report"});
  auditor.restarted({2, 1}, true);
  auditor.declared_dead(1, {2, 1}, true, 4.0);
  CHECK(kinds(auditor) == Words{"false-report", "false-report"});
  CHECK(auditor.reports() == 3);
}

TEST_CASE("all is reported when every live rank has declared every dead one") {
  Auditor auditor = started(4);
  CHECK(auditor.all_reported());
  auditor.died({3, 0}, true, false, 10.0);
  CHECK_FALSE(auditor.all_reported());
  auditor.declared_dead(0, {3, 0}, true, 11.0);
  auditor.declared_dead(1, {3, 0}, true, 14.0);
  CHECK_FALSE(auditor.all_reported());
  auditor.died({2, 0}, true, false, 15.0);  // need not report any more
  CHECK_FALSE(auditor.all_reported());
  auditor.declared_dead(0, {2, 0}, true, 16.0);
  auditor.declared_dead(1, {2, 0}, true, 16.0);
  CHECK(auditor.all_reported());
  CHECK(auditor.report_latency_max_s() == 4.0);
}

TEST_CASE("a false report counts as one of the death that follows it, and is none if allowed") {
  Auditor auditor = started(3);
  auditor.declared_dead(0, {2, 0}, false, 1.0);
  auditor.declared_dead(1, {2, 0}, false, 2.0);
  CHECK(auditor.violations().empty());
  CHECK(auditor.false_reports() == 1);
  CHECK(auditor.first_false_report_s() == 1.0);
  auditor.died({2, 0}, true, false, 3.0);
  CHECK(auditor.all_reported());
}

TEST_CASE(
    "a false report that is taken back counts as one, but not for the death that follows it") {
  Auditor auditor = started(3);
  auditor.declared_dead(0, {2, 0}, false, 1.0);
  auditor.declared_dead(1, {2, 0}, false, 2.0);
  auditor.taken_back(1, {2, 0});
  CHECK(auditor.taken_back() == 1);
  CHECK(auditor.false_reports() == 1);
  CHECK(auditor.falsely_reported().at({2, 0}).size() == 1);  // rank 0 has not taken it back
  auditor.died({2, 0}, true, false, 3.0);
  CHECK_FALSE(auditor.all_reported());
  auditor.declared_dead(1, {2, 0}, false, 4.0);
  CHECK(auditor.all_reported());
}

TEST_CASE(
    "a new incarnation owes reports of the ranks that are dead when it starts, and no others") {
  Auditor auditor = started(4);
  auditor.died({3, 0}, true, false, 1.0);
  auditor.died({2, 0}, true, false, 2.0);
  for (const Rank rank : {0U, 1U}) {
    auditor.declared_dead(rank, {3, 0}, true, 3.0);
    auditor.declared_dead(rank, {2, 0}, true, 3.0);
  }
  CHECK(auditor.all_reported());
  auditor.restarted({3, 1}, true);
  CHECK_FALSE(auditor.all_reported());
  auditor.declared_dead(3, {3, 0}, true, 4.0);  // its own death, which it owes nobody
  CHECK_FALSE(auditor.all_reported());
  auditor.declared_dead(3, {2, 0}, true, 5.0);
  CHECK(auditor.all_reported());
  auditor.restarted({2, 1}, true);  // nobody is dead any more
  CHECK(auditor.all_reported());
  auditor.died({3, 1}, true, false, 6.0);
  for (const Rank rank : {0U, 1U, 2U}) {
    CHECK_FALSE(auditor.all_reported());
    auditor.declared_dead(rank, {3, 1}, true, 7.0);
  }
  CHECK(auditor.all_reported());
}

TEST_CASE("a rank goes idle when its workload has run and it is not active") {
  Auditor auditor = started(2);
  const std::uint64_t before = auditor.idle_transitions();
  auditor.turn_over(false, true, true, 1.0);
  CHECK(auditor.idle_transitions() == before);
  auditor.turn_over(true, false, true, 2.0);
  auditor.turn_over(false, false, true, 3.0);
  auditor.turn_over(false, false, false, 4.0);
  CHECK(auditor.idle_transitions() == before + 2);
  CHECK(auditor.active() == 0);
}

TEST_CASE("every message that was sent, once or again, has an end or is in flight") {
  for (const std::uint64_t forgotten : {0U, 1U}) {
    Auditor auditor = started(2);
    for (int i = 0; i < 3; ++i) auditor.sent();
    auditor.resent(3 + forgotten);
    auditor.delivered();
    auditor.discarded(2);
    auditor.rolled_back(1);
    auditor.lost(1, 1.0);
    CHECK(auditor.in_flight() == static_cast<std::int64_t>(1 + forgotten));
    auditor.finish(1);
    CHECK(kinds(auditor) == (forgotten == 0 ? Words{} : Words{"message-conservation"}));
    CHECK(auditor.application_messages() == 3);
  }
}

TEST_CASE("an announcement that a rollback has undone is judged when it is made again") {
  for (const bool undone : {false, true}) {
    Auditor auditor = started(2);
    auditor.announced(0, 0, 1.0);
    CHECK(auditor.termination_time_s() == 0.0);
    if (undone) auditor.announcement_undone(0);
    CHECK(auditor.termination_time_s().has_value() == !undone);
    auditor.turn_over(false, true, false, 2.0);
    auditor.announced(1, 0, 3.0);
    CHECK(kinds(auditor) == (undone ? Words{"premature"} : Words{}));
  }
}

TEST_CASE("a rank that dies before it has started leaves nobody waiting for its start") {
  Auditor auditor = started(2);
  auditor.died({1, 0}, true, false, 1.0);
  auditor.restarted({1, 1}, true);
  CHECK(auditor.over_since_s() == kNever);
  auditor.never_started();
  auditor.died({1, 1}, true, false, 2.0);
  CHECK(auditor.over_since_s() == 2.0);
}

}  // namespace faultline::audit
