// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/core/task_tree.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

namespace {

std::string workload(const std::string& options) {
  return R"(workload={"name": "random-tree", )" + options + "}";
}

}  // namespace

TEST_CASE("an option names a task tree's file, relative to the scenario") {
  const Workspace workspace;
  workspace.write("tree.json", R"({"parents": [null, 0, 0], "ranks": [0, 3, 1]})");
  const Scenario scenario = workspace.scenario_after({workload(R"("tree_file": "tree.json")")});
  const auto& value = scenario.points[0].component(Family::workload).options.at("tree_file");
  const TaskTreeFile& tree = *std::get<TaskTreeInput>(value).content;
  CHECK(tree.tree.parents == std::vector<Task>{kNoTask, 0, 0});
  CHECK(tree.ranks == std::vector<Rank>{0, 3, 1});
  const Scenario none = workspace.scenario_after({workload(R"("tree_file": null)")});
  CHECK(std::holds_alternative<std::monostate>(
      none.points[0].component(Family::workload).options.at("tree_file")));
}

TEST_CASE("what is wrong with a tree's file is said with option, file and place") {
  const Workspace workspace;
  workspace.write("tree.json", R"({"parents": [null, 0, 5]})");
  CHECK_THAT(workspace.errors_after({workload(R"("tree_file": "tree.json")")}),
             Contains("workload.tree_file: ") && Contains("tree.json: parents[2]: expected"));
  CHECK_THAT(workspace.errors_after({workload(R"("tree_file": "none.json")")}),
             Contains("workload.tree_file: ") && Contains("none.json: no such file"));
  CHECK_THAT(workspace.errors_after({workload(R"("tree_file": "")")}),
             Contains("workload.tree_file: "));
  CHECK_THAT(workspace.errors_after({workload(R"("tree_file": [1])")}),
             Contains("workload.tree_file: expected the path of a JSON file with a task tree"));
  CHECK_THAT(workspace.errors_after({workload(R"("tree_file": 7)")}), Contains("got 7"));
}

TEST_CASE("the hash of a scenario follows what its tree file says, not where it lies") {
  const Workspace workspace;
  workspace.write("a.json", R"({"parents": [null, 0, 0]})");
  workspace.write("b.json", R"({ "parents" : [null,0,0] })");
  workspace.write("c.json", R"({"parents": [null, 0, 1]})");
  const auto hash = [&](const std::string& file) {
    return workspace.scenario_after({workload(R"("tree_file": ")" + file + R"(")")}).hash;
  };
  CHECK(hash("a.json") == hash("b.json"));
  CHECK(hash("a.json") != hash("c.json"));
  const std::string same = R"(workload=[{"name": "random-tree", "tree_file": "a.json"},)"
                           R"({"name": "random-tree", "tree_file": "b.json"}])";
  CHECK_THAT(workspace.errors_after({same}), Contains("is the same as workload[0]"));
}

}  // namespace faultline::scenario
