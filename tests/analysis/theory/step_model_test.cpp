// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/step_model.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <ostream>

#include "tests/analysis/theory/naive_step_model.hpp"

namespace faultline::theory {

std::ostream& operator<<(std::ostream& out, const ControlMessageCounts& counts) {
  return out << "{" << counts.four_counter << ", " << counts.edod << ", " << counts.hcda << ", "
             << counts.cda << "}";
}

namespace {

constexpr auto kInstant = StepActivity::instant;
constexpr auto kLocal = StepActivity::local;
constexpr auto kLoad = StepActivity::load;
constexpr auto kLiteral = StepRules::literal;
constexpr auto kResolved = StepRules::resolved;
constexpr std::array kActivities = {kInstant, kLocal, kLoad};
constexpr std::array kRules = {kLiteral, kResolved};

TaskTree tree_of(std::vector<Task> parents) { return {.parents = std::move(parents)}; }

/// Seven tasks on three levels.
TaskTree complete_tree() { return tree_of({kNoTask, 0, 0, 1, 1, 2, 2}); }

TaskTree chain(Task tasks) {
  TaskTree tree;
  for (Task task = 1; task < tasks; ++task) tree.parents.push_back(task - 1);
  return tree;
}

TaskTree star(Task leaves) {
  TaskTree tree;
  tree.parents.resize(leaves + 1, 0);
  return tree;
}

ControlMessageCounts count(std::uint32_t processes, StepActivity activity, StepRules rules,
                           const TaskTree& tree, const std::vector<Rank>& ranks,
                           std::uint64_t initial_credit = kStepInitialCredit) {
  return count_control_messages({processes, activity, rules, initial_credit}, tree, ranks);
}

ControlMessageCounts round_robin(std::uint32_t processes, StepActivity activity, StepRules rules,
                                 const TaskTree& tree,
                                 std::uint64_t initial_credit = kStepInitialCredit) {
  return count(processes, activity, rules, tree,
               workloads::round_robin_ranks(tree.tasks(), processes), initial_credit);
}

using Counts = ControlMessageCounts;

}  // namespace

// Tasks 0..6 on processes 0 1 2 0 1 2 0; 1 and 2 are the children of 0 in the control tree.
//   step 0: 0 -> 1, 0 -> 2          0 goes idle, 1 and 2 become active
//   step 1: 1 -> 0, 1 -> 1, 2 -> 2, 2 -> 0     0 becomes active; 1 and 2 send to themselves: stay
//   step 2: all go idle
// Resolved. 4C: 0 goes idle in step 0 while 1 and 2 become active: no wave; step 2: one, 2 (3 - 1).
// EDOD: resumes 1 + 1, then the edges to 1 and 2; stops only in step 2, one each: 2 + 2 + 3.
// HCDA: idle processes per step 1, 0, 3. CDA: 0 gives all away; three hold credit at the end.
TEST_CASE("seven tasks on three processes, resolved") {
  for (const StepActivity activity : kActivities)
    CHECK(round_robin(3, activity, kResolved, complete_tree()) == Counts{4, 7, 4, 3});
}

// Literal, the same steps, and 1 and 2 are active from the start. S_instant: they stay active in
// step 0. EDOD: 2 for the return of 0; the stops of step 2 count subtrees, 1 + 1 + 3. HCDA: flush
// of 0 in step 0 (half of half of its credit was left), three in step 2. CDA: three in step 2.
// S_local and S_load (0 tasks against 1): 1 and 2 go idle in between, so in step 0 there is one
// wave, 1 + 1 edges of resumes (no stops: both are active at its end), and two flushes more.
TEST_CASE("seven tasks on three processes, literal") {
  CHECK(round_robin(3, kInstant, kLiteral, complete_tree()) == Counts{4, 7, 4, 3});
  CHECK(round_robin(3, kLocal, kLiteral, complete_tree()) == Counts{8, 9, 6, 5});
  CHECK(round_robin(3, kLoad, kLiteral, complete_tree()) == Counts{8, 9, 6, 5});
}

// Tasks 0..6 on processes 0 1 2 3 0 1 2; the control tree is 0 above 1 and 2, 1 above 3.
//   step 0: 0 -> 1, 0 -> 2
//   step 1: 1 -> 3, 1 -> 0, 2 -> 1, 2 -> 2     every load is 1
//   step 2: all go idle
// In step 1 process 2 sends to itself; 1 rests under S_local, and under S_load only if equal loads
// let it: resolved has <=, literal has <.
// Resolved, S_instant. EDOD: 1 + 1; 3 from 1 and 0 from 1, an edge each; four stops: 2 + 2 + 4.
// HCDA: idle 2 (0 and 3), 0, 4. CDA: four at the end. 4C: one wave, in step 2.
// Where 1 rests: EDOD has the path 2-0-1 more (no stop: 3 below it is active), HCDA one more; CDA
// none, since 1 gives all its credit to 3 and 0.
// Literal, S_load. Step 0: 0 and 3 go idle, 1 and 2 rest (load 0 < 1): a wave, one stop (3), two
// resumes, HCDA 4 and CDA 3 flushes (0 gave all away). Step 1: two resumes. Step 2: a wave, the
// stops of subtrees of 1, 1, 2 and 4 processes, four flushes each.
TEST_CASE("seven tasks on four processes: equal loads tell the readings of S_load apart") {
  CHECK(round_robin(4, kInstant, kResolved, complete_tree()) == Counts{6, 8, 6, 4});
  CHECK(round_robin(4, kLocal, kResolved, complete_tree()) == Counts{6, 10, 7, 4});
  CHECK(round_robin(4, kLoad, kResolved, complete_tree()) == Counts{6, 10, 7, 4});
  CHECK(round_robin(4, kLoad, kLiteral, complete_tree()) == Counts{12, 13, 8, 7});
}

// A token goes to and fro between 0 and 1: task k on process k mod 2, which goes idle in step k.
// 4C: 1 joins in every odd step and stays in the wave while it is active again; 0 goes idle in the
// even steps, so it completes a wave in steps 2, 4, ..., 98: 49 waves of 2.
// EDOD: 99 resumes of one edge; a stop of 1 in the 50 odd steps, of 0 never (1 is active then).
// HCDA: one idle process in each of 99 steps, two in the last, and three loans: the credit 2^32 is
// at 1 after 32 moves, so moves 33, 65 and 97 borrow. CDA: one flush, at the end.
TEST_CASE("a chain of 100 tasks on two processes: HCDA borrows every 32 moves, CDA never") {
  for (const StepActivity activity : kActivities)
    CHECK(round_robin(2, activity, kResolved, chain(100)) == Counts{98, 149, 104, 1});
  // The credit of a loan lasts as many moves as it can be halved.
  CHECK(round_robin(2, kInstant, kResolved, chain(100), 2).hcda == 99 + 2 + 98);
  CHECK(round_robin(2, kInstant, kResolved, chain(100), 2).cda == 1);
}

// Task 0 sends to 40 others, one on each process 1..40, all leaves.
// 4C: 0 goes idle in step 0, where 1 and 2 become active, and never again: no wave.
// EDOD: a resume of the depth of each process, 2 x 1 + 4 x 2 + 8 x 3 + 16 x 4 + 10 x 5 = 148, and
// 40 stops. HCDA: 1 + 41 idle processes; 33 sends from 2^32 need a loan, 40 no second one. CDA: 40.
// With C_init 10: HCDA sends 5, 2, 1, 1 and has 1 left, then 5, 3, 1, 1 from each loan of 10: four
// sends each, so nine loans. CDA borrows three times for 40 shares of 1.
TEST_CASE("a star of 40 leaves: loans") {
  CHECK(round_robin(41, kInstant, kResolved, star(40)) == Counts{0, 188, 43, 40});
  CHECK(round_robin(41, kInstant, kResolved, star(40), 10) == Counts{0, 188, 51, 43});
}

// Everything stays on one process, whose messages to itself cost nothing. Its end is one stop (the
// printed rule does not except the root, which has nobody above), and one flush.
TEST_CASE("one process") {
  for (const StepActivity activity : kActivities)
    for (const StepRules rules : kRules) {
      CHECK(round_robin(1, activity, rules, complete_tree()) == Counts{0, 1, 1, 1});
      CHECK(round_robin(1, activity, rules, TaskTree{}) == Counts{0, 1, 1, 1});
    }
}

// One task on process 0 of 7. Resolved: nobody else was ever active. 4C: 0 goes idle above fresh
// processes: 2 x 6. HCDA charges all seven. Literal: all go idle in step 0, the subtrees have
// 4 x 1 + 2 x 3 + 7 processes, and all flush.
TEST_CASE("one task on seven processes") {
  CHECK(round_robin(7, kLocal, kResolved, TaskTree{}) == Counts{12, 1, 7, 1});
  CHECK(round_robin(7, kLocal, kLiteral, TaskTree{}) == Counts{12, 17, 7, 7});
}

// Tasks on processes 0, then 3, then 0: 3 is below 1, which is never activated. In step 2 process 0
// goes idle; 1 lets the wave of 3 pass in the resolved rules: one wave, in step 2. Literal: step 0
// has all idle (3 rests and is reactivated after the wave): one wave; then 1 and 2 never go idle
// again, and nothing completes.
TEST_CASE("a process that was never activated does not hide those below it") {
  const TaskTree tree = chain(3);
  CHECK(count(4, kLocal, kResolved, tree, {0, 3, 0}).four_counter == 6);
  CHECK(count(4, kLocal, kLiteral, tree, {0, 3, 0}).four_counter == 6);
  // While 3 runs it holds the wave up through 1: 0 goes idle in step 0 and not again.
  CHECK(count(4, kLocal, kResolved, chain(2), {0, 3}).four_counter == 0);
}

TEST_CASE("an independent, naive implementation gives the same counts on random trees") {
  workloads::TaskTreeShape shape = *workloads::task_tree_preset("small");
  shape.maximum_height = 12;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Stream random = workloads::task_tree_stream(seed, 0);
    const TaskTree tree = workloads::random_task_tree(shape, random);
    for (const std::uint32_t processes : {1U, 2U, 3U, 7U, 12U, 31U, 50U}) {
      for (const bool at_random : {false, true}) {
        const auto ranks = at_random
                               ? workloads::random_ranks(tree.tasks(), processes,
                                                         workloads::task_mapping_stream(seed, 0))
                               : workloads::round_robin_ranks(tree.tasks(), processes);
        for (const StepActivity activity : kActivities) {
          for (const StepRules rules : kRules) {
            const std::uint64_t credit = seed % 3 == 0 ? seed : kStepInitialCredit;
            const StepModel model = {processes, activity, rules, credit};
            CAPTURE(seed, processes, at_random, static_cast<int>(activity), static_cast<int>(rules),
                    credit);
            REQUIRE(count_control_messages(model, tree, ranks) ==
                    NaiveStepModel(model, tree.parents, ranks).count());
          }
        }
      }
    }
  }
}

// A process that goes idle in between only adds transitions: nothing is cheaper for it.
TEST_CASE("S_instant has the fewest transitions, S_local the most") {
  const workloads::TaskTreeShape shape = *workloads::task_tree_preset("small");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Stream random = workloads::task_tree_stream(seed, 0);
    const TaskTree tree = workloads::random_task_tree(shape, random);
    for (const std::uint32_t processes : {2U, 9U, 64U}) {
      const auto at = [&](StepActivity activity) {
        return round_robin(processes, activity, kResolved, tree);
      };
      const Counts instant = at(kInstant);
      const Counts load = at(kLoad);
      const Counts local = at(kLocal);
      CAPTURE(seed, processes, instant, load, local);
      CHECK(instant.edod <= load.edod);
      CHECK(load.edod <= local.edod);
      for (const Counts& counts : {instant, load, local}) {
        CHECK(counts.four_counter % (2 * (std::uint64_t{processes} - 1)) == 0);
        CHECK(counts.cda >= 1);
        CHECK(counts.cda <= counts.hcda);
      }
    }
  }
}

// Table 1 prints for trees of 47 and 397 tasks the mean ratio to CDA over the processes and the
// activities. The paper does not name the trees and processes; 2 to 240 processes are the resolved
// reading, and four trees leave some spread: EDOD within 15 %, HCDA within 20 %. The literal rules
// miss the HCDA cells by a factor of seven or more: docs/step-model.md explains why.
TEST_CASE("the resolved rules come near Table 1's EDOD and HCDA, the literal ones do not") {
  struct PrintedCell {
    workloads::TaskTreeSize size;
    bool at_random;
    double edod;
    double hcda;
  };
  const workloads::TaskTreeSize small = {.fewest = 47, .most = 47, .most_levels = 8};
  const workloads::TaskTreeSize medium = {.fewest = 397, .most = 397};
  for (const PrintedCell& cell :
       {PrintedCell{small, false, 12.08, 37.68}, PrintedCell{small, true, 16.07, 38.28},
        PrintedCell{medium, false, 17.09, 11.65}, PrintedCell{medium, true, 18.97, 14.36}}) {
    Counts literal;
    double edod = 0.0;
    double hcda = 0.0;
    double literal_hcda = 0.0;
    int samples = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const TaskTree tree = *workloads::random_task_tree_of_size(
          *workloads::task_tree_preset("small"), cell.size, seed);
      for (std::uint32_t processes = 2; processes <= 240; processes += 2) {
        const auto ranks = cell.at_random
                               ? workloads::random_ranks(tree.tasks(), processes,
                                                         workloads::task_mapping_stream(seed, 0))
                               : workloads::round_robin_ranks(tree.tasks(), processes);
        for (const StepActivity activity : kActivities) {
          const Counts resolved = count(processes, activity, kResolved, tree, ranks);
          literal = count(processes, activity, kLiteral, tree, ranks);
          const auto ratio = [](std::uint64_t messages, const Counts& counts) {
            return static_cast<double>(messages) / static_cast<double>(counts.cda);
          };
          edod += ratio(resolved.edod, resolved);
          hcda += ratio(resolved.hcda, resolved);
          literal_hcda += ratio(literal.hcda, literal);
          ++samples;
        }
      }
    }
    CAPTURE(cell.size.fewest, cell.at_random, edod / samples, hcda / samples);
    CHECK(std::abs(edod / samples / cell.edod - 1.0) < 0.15);
    CHECK(std::abs(hcda / samples / cell.hcda - 1.0) < 0.20);
    CHECK(literal_hcda / samples < cell.hcda / 6.0);
  }
}

}  // namespace faultline::theory
