// SPDX-License-Identifier: Apache-2.0

// Schedules under which the search for broken lemmas has found mistakes of transactions, shrunk.

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/schedules.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

/// The death of a rank.
faults::FaultSpec at_event(std::uint64_t event, Rank victim) {
  faults::FaultSpec fault;
  fault.event = event;
  fault.ranks = {victim};
  return fault;
}

void check_transactions_finish(const std::string& subject, const lemmas::FaultSchedule& schedule) {
  const lemmas::LemmaRun run = lemmas::run_lemma(
      schedule, subject_named(Family::transactions, subject).stack, scenario::EngineKind::loggp);
  CAPTURE(run.result.fatal_reason, run.broken ? run.broken->text : "");
  CHECK(run.result.outcome == engine::Outcome::finished);
  CHECK(!run.broken);
}

}  // namespace

// Rank 0 alone knows that checkpoint 3 is complete, writes its part of checkpoint 4, and dies
// before it can tell anybody. All go back to checkpoint 2, which it must still have.
TEST_CASE("a rank keeps its last two checkpoints in a storage while it writes the next one") {
  check_transactions_finish("relaunch",
                            {.seed = 2866,
                             .processes = 6,
                             .processes_per_node = 3,
                             .workload = "try-blocks",
                             .work = 4,
                             .compute_s = 4.7060290920968519e-06,
                             .overhead_s = 2.8460388043101133e-06,
                             .latency_s = 3.5507795441409171e-07,
                             .gap_s = 1.0008108992398274e-07,
                             .notice_s = 7.1860881316119311e-07,
                             .reordering_s = 4.489570811272711e-06,
                             .faults = {at_event(74, 0)},
                             .spare_nodes = 3,
                             .has_sums = false,
                             .transactions = {{"checkpoint", std::string("storage")},
                                              {"checkpoint_interval_s", 5.0834655220073546e-06},
                                              {"relaunch_s", 0.0}}});
}

// Checkpoint 2 is complete, but its keeper does not know it yet when the copy of checkpoint 3
// comes. The death makes it go back to 1, which it must still have.
TEST_CASE("a keeper keeps the checkpoints of others that it may have to go back to itself") {
  check_transactions_finish("relaunch",
                            {.seed = 688,
                             .processes = 4,
                             .processes_per_node = 2,
                             .workload = "try-blocks",
                             .work = 3,
                             .compute_s = 6.1959447793598426e-06,
                             .overhead_s = 3.9407686648718064e-07,
                             .latency_s = 5.0599785172854863e-06,
                             .gap_s = 2.4781433357809803e-06,
                             .notice_s = 5.433205958164556e-07,
                             .reordering_s = 2.3129597200158947e-06,
                             .faults = {at_event(53, 1)},
                             .spare_nodes = 4,
                             .has_sums = false,
                             .transactions = {{"checkpoint", std::string("partner")},
                                              {"checkpoint_iterations", std::int64_t{1}}}});
}

// Its keeper was left out of the smaller world, so this rank has nobody to send a copy to, and the
// others waited for it.
TEST_CASE("a checkpoint of a world that has shrunk ends though keepers have been left out") {
  for (const char* subject : {"fampi", "ulfm"})
    for (const Rank victim : {0U, 3U})
      check_transactions_finish(subject, {.processes = 4,
                                          .workload = "try-blocks",
                                          .work = 3,
                                          .faults = {at_event(1, victim)},
                                          .spare_nodes = 1,
                                          .has_sums = false,
                                          .transactions = {{"recovery", std::string("shrink")},
                                                           {"checkpoint", std::string("partner")},
                                                           {"checkpoint_interval_s", 1e-4}}});
}

// The root had asked for the process when it led, and another rank led when it started: the engine
// tells only the one that has asked.
TEST_CASE("a new process is told of its leader by the rank that has asked for it") {
  check_transactions_finish("fampi", {.seed = 10491,
                                      .processes = 3,
                                      .workload = "minife",
                                      .work = 2,
                                      .compute_s = 2.3627961469653208e-05,
                                      .overhead_s = 1.3407940041371575e-06,
                                      .latency_s = 4.446651554039309e-06,
                                      .gap_s = 2.8733163449894615e-07,
                                      .notice_s = 2.418504409367772e-06,
                                      .faults = {at_event(40, 0), at_event(69, 1)},
                                      .restart_delay_s = 6.183348934633765e-05,
                                      .spare_nodes = 4,
                                      .iterations_per_block = 3,
                                      .has_sums = false,
                                      .transactions = {{"agreement", std::string("two-phase")}}});
}

// Notices to rank 3 of deaths at the start reach its second process, which had been told that all
// of them had been replaced.
TEST_CASE("a new process does not take processes for dead that were replaced before it started") {
  faults::FaultSpec node;
  node.time_s = 0.0;
  node.nodes = {0};
  check_transactions_finish("fampi", {.seed = 4401,
                                      .processes = 4,
                                      .processes_per_node = 3,
                                      .workload = "try-blocks",
                                      .work = 1,
                                      .compute_s = 1.5336503414118897e-06,
                                      .overhead_s = 3.113474071372269e-07,
                                      .latency_s = 1.0994098155378407e-06,
                                      .gap_s = 2.1095742266285048e-06,
                                      .notice_s = 4.659327195197262e-07,
                                      .faults = {at_mark("decided", 0, {3}), node},
                                      .spare_nodes = 2,
                                      .has_sums = false});
}

TEST_CASE("a process is started on another spare node if the first one fails before that") {
  faults::FaultSpec first;
  first.time_s = 0.0;
  first.ranks = {0};
  faults::FaultSpec spare;
  spare.event = 25;
  spare.nodes = {3};
  check_transactions_finish("fampi", {.seed = 15487,
                                      .processes = 5,
                                      .processes_per_node = 2,
                                      .workload = "try-blocks",
                                      .work = 1,
                                      .compute_s = 4.028855103025921e-06,
                                      .overhead_s = 1.5413342564548424e-06,
                                      .latency_s = 2.878018163661667e-05,
                                      .gap_s = 4.032173324819392e-07,
                                      .notice_s = 3.7525742672581627e-05,
                                      .reordering_s = 4.8727705276011694e-05,
                                      .faults = {first, spare},
                                      .restart_delay_s = 0.007705024378685896,
                                      .spare_nodes = 2,
                                      .has_sums = false});
}

// It has heard of a restart before the news of a world in which that rank's first process still is.
TEST_CASE("a new process knows which ranks have died since its world was put together") {
  faults::FaultSpec first;
  first.time_s = 0.0;
  first.ranks = {5};
  check_transactions_finish(
      "relaunch", {.seed = 3908,
                   .processes = 8,
                   .workload = "try-blocks",
                   .work = 1,
                   .compute_s = 1.7823784910383043e-05,
                   .overhead_s = 1.5667380921552326e-07,
                   .latency_s = 1.1530862564176062e-05,
                   .gap_s = 1.2870428211857653e-06,
                   .notice_s = 1.4107243117198826e-06,
                   .faults = {first, at_mark("restore", 0, {7}), at_mark("regroup", 2, {0})},
                   .spare_nodes = 1,
                   .has_sums = false,
                   .transactions = {{"relaunch_s", 0.0}, {"spawn", std::string("same-node")}}});
}

// It has written one checkpoint more than others know to be complete, over the one that they know.
TEST_CASE("a checkpoint that anybody knows to be complete is on all nodes") {
  check_transactions_finish("relaunch",
                            {.seed = 6230,
                             .processes = 5,
                             .workload = "try-blocks",
                             .work = 4,
                             .compute_s = 2.748588772790851e-06,
                             .overhead_s = 2.623854726277893e-07,
                             .latency_s = 7.474423751021746e-06,
                             .gap_s = 8.871956990929175e-07,
                             .notice_s = 4.873918701884028e-07,
                             .faults = {at_event(76, 1)},
                             .spare_nodes = 2,
                             .has_sums = false,
                             .transactions = {{"checkpoint", std::string("local")},
                                              {"checkpoint_interval_s", 3.192313865392385e-06},
                                              {"spawn", std::string("same-node")}}});
}

// The copy comes before the news of the world, in which its sender has died meanwhile.
TEST_CASE("a copy that overtakes the news of its world counts when that world is left at once") {
  check_transactions_finish("relaunch",
                            {.seed = 9891,
                             .processes = 6,
                             .processes_per_node = 3,
                             .workload = "minife",
                             .work = 4,
                             .compute_s = 1.9794652272074282e-06,
                             .overhead_s = 7.06881980897004e-07,
                             .latency_s = 9.719151813973876e-06,
                             .gap_s = 2.1067208212860303e-07,
                             .notice_s = 4.654095138227695e-07,
                             .reordering_s = 5.711102321740126e-06,
                             .faults = {at_event(734, 3), at_event(784, 0)},
                             .spare_nodes = 4,
                             .has_sums = true,
                             .transactions = {{"checkpoint", std::string("partner")},
                                              {"checkpoint_interval_s", 2.4290853356199456e-06}}});
}

// The news of a world with its predecessor come to the next process of a rank.
TEST_CASE("a new process enters no world in which its predecessor is a member") {
  check_transactions_finish("relaunch",
                            {.seed = 5883,
                             .processes = 5,
                             .processes_per_node = 2,
                             .workload = "try-blocks",
                             .work = 3,
                             .compute_s = 3.7189758728363413e-06,
                             .overhead_s = 1.8794504900379214e-07,
                             .latency_s = 1.714710807619431e-05,
                             .gap_s = 2.2007231346197247e-07,
                             .notice_s = 1.0792188999002607e-07,
                             .reordering_s = 7.284350452440277e-05,
                             .faults = {at_event(118, 1), at_event(156, 1), at_event(120, 3)},
                             .restart_delay_s = 3.620618633237422e-06,
                             .spare_nodes = 2,
                             .has_sums = true,
                             .transactions = {{"rebuild_over", std::string("tree")},
                                              {"relaunch_s", 0.0},
                                              {"spawn", std::string("same-node")}}});
}

// Rank 1 has been started again after rank 0, which hears of its first death only, and has entered
// the new world when the last rank dies that could have told rank 0 of either.
TEST_CASE("a new process does not give up while a process that it does not know is in a world") {
  check_transactions_finish(
      "ulfm", {.seed = 28736,
               .processes = 3,
               .processes_per_node = 2,
               .workload = "minife",
               .work = 1,
               .compute_s = 2.7080687379672037e-05,
               .overhead_s = 2.429638534096709e-06,
               .latency_s = 2.2639282327914167e-06,
               .gap_s = 3.3010151026959817e-06,
               .notice_s = 1.5942492957558924e-07,
               .spread_s = 1.1485813269047258e-06,
               .reordering_s = 5.086753687403459e-05,
               .faults = {at_event(58, 2), at_mark("contributed", 1, {1}), at_event(29, 0)},
               .spare_nodes = 2,
               .iterations_per_block = 3,
               .transactions = {{"checkpoint", std::string("partner")},
                                {"checkpoint_interval_s", 3.184982693600943e-05},
                                {"spawn_s", 0.00015046636544704378}}});
}

// It knows that the job has ended, and had told only a dead one.
TEST_CASE("a rank that knows of the end ends the job when it becomes the leader of a relaunch") {
  check_transactions_finish("relaunch",
                            {.seed = 31298,
                             .processes = 5,
                             .processes_per_node = 2,
                             .workload = "try-blocks",
                             .work = 3,
                             .compute_s = 1.0296609845370024e-06,
                             .overhead_s = 6.942372772357915e-07,
                             .latency_s = 1.1984821898762266e-05,
                             .gap_s = 3.799890976560149e-06,
                             .notice_s = 5.529411935818041e-07,
                             .spread_s = 3.60007177329822e-05,
                             .faults = {at_event(54, 1), at_event(50, 0)},
                             .spare_nodes = 2,
                             .has_sums = false,
                             .transactions = {{"checkpoint", std::string("partner")},
                                              {"checkpoint_iterations", std::int64_t{3}}}});
}

// A rank waits in one world and soon in the next, and the leader gets the second message first.
TEST_CASE(
    "a rank that waits in a later world has not left it because an earlier message comes late") {
  check_transactions_finish("relaunch", {.seed = 40953,
                                         .processes = 5,
                                         .workload = "minife",
                                         .work = 3,
                                         .compute_s = 2.921166691332425e-06,
                                         .overhead_s = 5.451792672057104e-07,
                                         .latency_s = 3.218130369416722e-06,
                                         .gap_s = 1.2127975764865086e-06,
                                         .notice_s = 1.7323007681354005e-06,
                                         .reordering_s = 3.552727717731528e-06,
                                         .faults = {at_event(205, 0), at_event(149, 4)},
                                         .spare_nodes = 2,
                                         .has_sums = false});
}

// The new process has entered the world. It had heard before of the death of the one that was to
// tell the others of it.
TEST_CASE("a process that enters a world and knows of a death in it tells those that are behind") {
  check_transactions_finish("relaunch over connection-loss",
                            {.seed = 45510,
                             .processes = 5,
                             .workload = "minife",
                             .work = 2,
                             .compute_s = 2.0146354078798928e-05,
                             .overhead_s = 1.2690032505589218e-07,
                             .latency_s = 3.0910088746683407e-06,
                             .gap_s = 5.3383992396442404e-06,
                             .reordering_s = 8.646395778505968e-06,
                             .faults = {at_event(118, 1), at_event(204, 0)},
                             .spare_nodes = 3,
                             .has_sums = false,
                             .transactions = {{"spawn", std::string("same-node")}},
                             .exit_delay_s = 6.932262162344676e-07,
                             .silent_loss_s = 1.3864524324689352e-06});
}

// Rank 0 has died after its third checkpoint, and the new process has found all three. It must not
// write the fourth in the place of the third, to which all go back if it dies before the fourth is
// complete.
TEST_CASE("a new process that finds three checkpoints writes the next in the place of the first") {
  faults::FaultSpec first;
  first.time_s = 0.0;
  first.ranks = {0};
  check_transactions_finish(
      "relaunch", {.seed = 4966,
                   .processes = 3,
                   .processes_per_node = 2,
                   .workload = "minife",
                   .work = 4,
                   .compute_s = 2.5297394698011032e-05,
                   .overhead_s = 1.424564253292611e-07,
                   .latency_s = 6.2824953165921861e-07,
                   .gap_s = 2.5189082438905714e-06,
                   .notice_s = 5.5692347653630528e-05,
                   .faults = {first, at_event(147, 0), at_event(200, 0), at_event(266, 0)},
                   .spare_nodes = 14,
                   .has_sums = false,
                   .transactions = {{"checkpoint", std::string("local")},
                                    {"checkpoint_interval_s", 2.2538765376169625e-05},
                                    {"node_storage_bandwidth_Bps", 731437921.4609853},
                                    {"relaunch_s", 0.0026721770316045167},
                                    {"spawn", std::string("same-node")}}});
}

// Rank 3 enters a world whose first rank that lives is a new process that has not heard of it yet,
// and takes that for the leader. The new process counted itself among those that know no world.
TEST_CASE("a new process that is said to lead a world asks whoever says so for that world") {
  check_transactions_finish("relaunch",
                            {.seed = 5752,
                             .processes = 4,
                             .workload = "minife",
                             .work = 2,
                             .progress = scenario::Progress::between,
                             .compute_s = 1.2093669490365839e-05,
                             .overhead_s = 3.3918319227129802e-07,
                             .latency_s = 1.3971114848613909e-06,
                             .gap_s = 1.0306617996182605e-07,
                             .notice_s = 1.01825936594818e-06,
                             .reordering_s = 6.6213119283302675e-05,
                             .faults = {at_event(145, 0), at_event(164, 1), at_event(171, 2)},
                             .spare_nodes = 14,
                             .transactions = {{"checkpoint", std::string("partner")},
                                              {"checkpoint_iterations", std::int64_t{1}},
                                              {"rebuild_over", std::string("tree")}}});
}

}  // namespace faultline::transactions
