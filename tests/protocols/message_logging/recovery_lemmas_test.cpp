// SPDX-License-Identifier: Apache-2.0

// The protocols of message logging under random schedules of deaths: every run comes to its right
// end, or gives up where it may.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/job.hpp"
#include "tests/support/schedules.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

faults::FaultSpec at_event(std::uint64_t event, const std::vector<Rank>& victims) {
  faults::FaultSpec fault;
  fault.event = event;
  fault.ranks = victims;
  return fault;
}

void check_finishes(const std::string& subject, const lemmas::FaultSchedule& schedule) {
  const lemmas::LemmaRun run = lemmas::run_lemma(
      schedule, subject_named(Family::message_logging, subject).stack, scenario::EngineKind::loggp);
  CAPTURE(run.result.fatal_reason);
  CHECK(run.result.outcome == engine::Outcome::finished);
  CHECK(!run.broken);
}

}  // namespace

TEST_CASE("message logging keeps its promises under random deaths") {
  for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(Family::message_logging)) {
    check_schedules(subject, scenario::EngineKind::loggp, 1, 1501);
    check_schedules(subject, scenario::EngineKind::simgrid, 1, 4);
  }
}

// A rank dies with a determinant stored and the one before it not. Its successor gives these
// tickets to other messages, and dies, too.
TEST_CASE("a replay follows the last incarnation that has given a ticket") {
  const lemmas::FaultSchedule schedule{
      .seed = 1686,
      .processes = 7,
      .workload = "ordered-stencil",
      .work = 4,
      .width = 2,
      .worker_cores = 2,
      .progress = scenario::Progress::between,
      .compute_s = 2.5164750075480082e-05,
      .overhead_s = 1.3063846570213431e-06,
      .latency_s = 1.563182131759092e-05,
      .gap_s = 2.5780239903570131e-06,
      .notice_s = 3.6797549638078611e-07,
      .spread_s = 9.4263576143752659e-06,
      .reordering_s = 2.1930847064593742e-05,
      .faults = {at_mark("checkpoint", 5, {6}), at_mark("checkpoint", 1, {3}), at_event(760, {3})},
      .objects_per_process = 7,
      .checkpoint_iterations = 1,
      .restart_delay_s = 1.560461524725412e-06,
      .spare_nodes = 3};
  check_finishes("pessimistic", schedule);
}

// Results of reductions from before a death are sent again all at once, and pass one another.
TEST_CASE("a stencil passes results on in the same order when they come in another") {
  const lemmas::FaultSchedule schedule{
      .seed = 9790,
      .processes = 6,
      .processes_per_node = 2,
      .workload = "stencil",
      .work = 2,
      .worker_cores = 2,
      .compute_s = 4.629446678652654e-05,
      .overhead_s = 4.3115578284124348e-07,
      .latency_s = 7.3010592165805576e-07,
      .gap_s = 1.0221122253744033e-06,
      .notice_s = 0.00012971702229571576,
      .spread_s = 2.3063163335797733e-05,
      .reordering_s = 2.5908090167427402e-05,
      .faults = {at_mark("checkpoint", 2, {4}), at_event(251, {2}), at_event(354, {1})},
      .preset = "lulesh",
      .checkpoint_iterations = 2,
      .spare_nodes = 3};
  check_finishes("fast ssn", schedule);
}

// The image overtakes the news of the agreement, and then its keeper dies.
TEST_CASE("a restarted rank keeps an image that comes before it knows what is agreed on") {
  const lemmas::FaultSchedule schedule{
      .seed = 24647,
      .processes = 3,
      .processes_per_node = 2,
      .workload = "stencil",
      .work = 3,
      .compute_s = 8.4491145624746638e-05,
      .overhead_s = 2.2662217643107025e-06,
      .latency_s = 9.1252071771623838e-07,
      .gap_s = 1.2034274019579161e-06,
      .notice_s = 1.5752096363188308e-06,
      .reordering_s = 8.2562489082447339e-05,
      .faults = {at_event(225, {1}), at_event(166, {0}), at_event(321, {2})},
      .objects_per_process = 4,
      .checkpoint_iterations = 3,
      .spare_nodes = 3};
  check_finishes("fast", schedule);
}

// A rank sends a keeper that has restarted an image of a round that is void, and then the copy of
// the valid one. Otherwise nobody has that when the rank dies, too.
TEST_CASE("a keeper that has restarted gets the valid image after one that is void") {
  faults::FaultSpec node = at_event(6, {});
  node.nodes = {1};
  const lemmas::FaultSchedule schedule{
      .seed = 109393,
      .processes = 3,
      .processes_per_node = 2,
      .workload = "stencil",
      .work = 1,
      .compute_s = 2.5087298399124118e-06,
      .overhead_s = 1.1730235012814405e-06,
      .latency_s = 5.1121884226170606e-06,
      .gap_s = 1.0218513912187267e-07,
      .notice_s = 1.6113484729188899e-06,
      .faults = {at_event(103, {2}), node, at_mark("checkpoint", 1, {1})},
      .checkpoint_iterations = 1,
      .spare_nodes = 3};
  check_finishes("fast", schedule);
}

// A rank hears of the agreement on a restart, with which objects on a helper were lost, after it
// has taken part in the next one. It sends what it has logged for them all the same.
TEST_CASE(
    "a rank that misses an agreement learns from the next one which objects were lost before") {
  const lemmas::FaultSchedule schedule{
      .seed = 18152,
      .processes = 5,
      .workload = "stencil",
      .work = 2,
      .compute_s = 9.3864399139268106e-06,
      .overhead_s = 1.740182668485368e-07,
      .latency_s = 1.3945316535478744e-06,
      .gap_s = 5.6585648758928143e-07,
      .notice_s = 1.0104222634306113e-06,
      .reordering_s = 7.425666095656986e-05,
      .faults = {at_event(339, {2}), at_mark("checkpoint", 2, {1}), at_event(787, {3})},
      .objects_per_process = 4,
      .checkpoint_iterations = 1,
      .spare_nodes = 3,
      .helpers = 4};
  check_finishes("fast helpers", schedule);
}

TEST_CASE("a schedule with deaths that are recovered from is replayed from its files") {
  constexpr std::uint64_t kSchedules = 10;
  std::size_t with_spare_nodes = 0;
  for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(Family::message_logging)) {
    check_replays(subject, kSchedules);
    for (std::uint64_t number = 1; number <= kSchedules; ++number)
      if (!subject.draw(number).faults.front().nodes.empty()) ++with_spare_nodes;
  }
  CHECK(with_spare_nodes > 0);
}

}  // namespace faultline::message_logging
