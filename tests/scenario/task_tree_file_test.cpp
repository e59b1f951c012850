// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/task_tree_file.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline::scenario {

namespace {

std::string refusal_of(const std::string& text) {
  try {
    parse_task_tree(text, "t.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a tree file is read as it was written") {
  const TemporaryDirectory folder;
  Stream random = workloads::task_tree_stream(4, 0);
  const TaskTree tree = workloads::random_task_tree(*workloads::task_tree_preset("small"), random);
  const auto ranks = workloads::random_ranks(tree.tasks(), 5, workloads::task_mapping_stream(4, 0));
  const std::string with = folder.write("with.json", task_tree_text(tree, ranks));
  const std::string without = folder.write("without.json", task_tree_text(tree, {}));
  CHECK(read_task_tree(with).tree.parents == tree.parents);
  CHECK(read_task_tree(with).ranks == ranks);
  CHECK(read_task_tree(without).tree.parents == tree.parents);
  CHECK(read_task_tree(without).ranks.empty());
  CHECK(task_tree_text({.parents = {kNoTask, 0, 0}}, {0, 1, 0}) ==
        "{\"parents\": [null, 0, 0],\n \"ranks\": [0, 1, 0]}\n");
}

TEST_CASE("a root alone, chains and stars are trees too") {
  CHECK(parse_task_tree(R"({"parents": [null]})", "t").tree.tasks() == 1);
  CHECK(parse_task_tree(R"({"parents": [null, 0, 1, 2]})", "t").tree.tasks() == 4);
  CHECK(parse_task_tree(R"({"parents": [null, 0, 0, 0]})", "t").tree.tasks() == 4);
}

TEST_CASE("a bad tree file gives one error that names file and place") {
  const std::map<std::string, std::string> refusals = {
      {R"({"parents": []})", "t.json: parents: expected 1 to 67108864 tasks, the first the root"},
      {R"({"parents": 3})",
       "t.json: parents: expected a list with one entry for every task, got 3"},
      {R"({"ranks": [0]})", "t.json: parents: missing, expected the parent of every task"},
      {R"([null, 0])", "t.json: expected an object, got a list"},
      {R"({"parents": [0, 0]})", "t.json: parents[0]: expected null: task 0 is the root, got 0"},
      {R"({"parents": [null, 0, null]})",
       "t.json: parents[2]: a second root, expected one tree with task 0 as its root"},
      {R"({"parents": [null, 0, 3]})", "t.json: parents[2]: expected a task, 0 to 2, got 3"},
      {R"({"parents": [null, -1]})", "t.json: parents[1]: expected a task, 0 to 1, got -1"},
      {R"({"parents": [null, 0.5]})", "t.json: parents[1]: expected a task, 0 to 1, got 0.5"},
      {R"({"parents": [null, "0"]})",
       "t.json: parents[1]: expected a task, 0 to 1, got the string \"0\""},
      {R"({"parents": [null, 1]})",
       "t.json: parents[1]: a cycle: task 1 does not lead to the root, expected a tree"},
      {R"({"parents": [null, 0, 3, 4, 2]})",
       "t.json: parents[2]: a cycle: task 2 does not lead to the root, expected a tree"},
      {R"({"parents": [null, 2, 0]})",
       "t.json: parents[1]: not breadth first: parent 2 comes after its child 1"},
      {R"({"parents": [null, 0, 0, 2, 1]})",
       "t.json: parents[4]: not breadth first: a child of task 1 after one of task 2"},
      {R"({"parents": [null, 0], "ranks": [0]})",
       "t.json: ranks: expected as many entries as parents has, 2, got 1"},
      {R"({"parents": [null, 0], "ranks": [0, -1]})",
       "t.json: ranks[1]: expected a rank, 0 or more, got -1"},
      {R"({"parents": [null], "rank": [0]})", "t.json: rank: unknown key, did you mean \"ranks\"?"},
      {R"({"parents": [null], "parents": [null]})",
       "t.json: parents: duplicate key, the object has it already"},
  };
  for (const auto& [text, refusal] : refusals) CHECK(refusal_of(text) == refusal);
  CHECK_THAT(refusal_of(R"({"parents": [null,)"), Catch::Matchers::StartsWith("t.json:1:"));
}

TEST_CASE("ranks must be those of the job") {
  const TaskTreeFile tree =
      parse_task_tree(R"({"parents": [null, 0, 0], "ranks": [0, 4, 9]})", "t");
  CHECK_NOTHROW(require_ranks_below(tree, 10));
  CHECK_THROWS_WITH(require_ranks_below(tree, 4),
                    "t: ranks[1]: expected a rank below 4, the number of processes, got 4");
}

TEST_CASE("a tree too large to be read again is not written") {
  TaskTree large;
  for (Task task = 1; task < 2500000; ++task) large.parents.push_back((task - 1) / 2);
  CHECK_THROWS_WITH(task_tree_text(large, {}), Catch::Matchers::Contains("expected at most 16"));
}

}  // namespace faultline::scenario
