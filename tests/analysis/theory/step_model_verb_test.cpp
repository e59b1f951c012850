// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/theory/step_model.hpp"
#include "cli/verbs.hpp"
#include "sim/core/error.hpp"
#include "sim/scenario/task_tree_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::theory {

using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string output_of(const cli::Verb& verb, const std::vector<std::string>& arguments) {
  std::ostringstream out;
  REQUIRE(cli::carry_out(verb, arguments, out) == 0);
  return out.str();
}

/// The message that `arguments` are refused with; nothing may have been written by then.
std::string refusal_of_verb(const cli::Verb& verb, const std::vector<std::string>& arguments) {
  std::ostringstream out;
  try {
    cli::carry_out(verb, arguments, out);
  } catch (const UsageError& error) {
    CHECK(out.str().empty());
    return error.what();
  }
  return "";
}

/// Seven tasks, mapped round robin on three processes.
constexpr const char* kSeven = R"({"parents": [null, 0, 0, 1, 1, 2, 2]})";
constexpr const char* kMapped =
    R"({"parents": [null, 0, 0, 1, 1, 2, 2], "ranks": [0, 1, 2, 0, 1, 2, 0]})";

}  // namespace

TEST_CASE("step-model prints a list of counts as JSON, in the order asked for") {
  const TemporaryDirectory folder;
  const std::string tree = folder.write("t.json", kSeven);
  const json counts = json::parse(
      output_of(cli::step_model_verb(), {"--tree", tree, "--processes", "4,3", "--activity", "load",
                                         "--rules", "literal,resolved", "--format", "json"}));
  const auto row = [](int processes, const char* rules, std::array<int, 4> values) {
    return json({{"processes", processes},
                 {"activity", "load"},
                 {"rules", rules},
                 {"four-counter", values[0]},
                 {"edod", values[1]},
                 {"hcda", values[2]},
                 {"cda", values[3]}});
  };
  // Counted by hand in step_model_test.cpp.
  CHECK(counts == json::array({row(4, "literal", {12, 13, 8, 7}), row(4, "resolved", {6, 10, 7, 4}),
                               row(3, "literal", {8, 9, 6, 5}), row(3, "resolved", {4, 7, 4, 3})}));
}

TEST_CASE("step-model's CSV and table hold the same counts") {
  const TemporaryDirectory folder;
  const std::string tree = folder.write("t.json", kSeven);
  CHECK(output_of(cli::step_model_verb(),
                  {"--tree", tree, "--processes", "3", "--activity", "local", "--format", "csv"}) ==
        "processes,activity,rules,four-counter,edod,hcda,cda\n"
        "3,local,literal,8,9,6,5\n"
        "3,local,resolved,4,7,4,3\n");
  const std::string table =
      output_of(cli::step_model_verb(), {"--tree", tree, "--processes", "3,4"});
  CHECK_THAT(table, Contains("7 tasks on 3 levels, mapping") &&
                        Contains("        3  local     literal              8     9     6    5\n"));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    if (line.find(tree) == std::string::npos) CHECK(line.size() <= 80);
}

TEST_CASE("the mapping is the file's if it has one, unless the user asks for another") {
  const TemporaryDirectory folder;
  const std::string plain = folder.write("plain.json", kSeven);
  const std::string mapped = folder.write("mapped.json", kMapped);
  const auto counts = [](const std::string& tree, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--tree", tree, "--processes", "5", "--format", "csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return output_of(cli::step_model_verb(), arguments);
  };
  CHECK(counts(plain, {}) == counts(plain, {"--mapping", "round-robin"}));
  CHECK(counts(mapped, {}) == counts(mapped, {"--mapping", "file"}));
  CHECK(counts(mapped, {"--mapping", "round-robin"}) == counts(plain, {}));
  CHECK(counts(mapped, {}) != counts(plain, {}));
  const auto at_random = [&](const char* seed) {
    return counts(plain, {"--mapping", "random", "--seed", seed});
  };
  CHECK(at_random("1") == at_random("1"));
  CHECK(at_random("1") != at_random("2"));
}

TEST_CASE("step-model refuses what it cannot count") {
  const TemporaryDirectory folder;
  const std::string plain = folder.write("plain.json", kSeven);
  const std::string mapped = folder.write("mapped.json", kMapped);
  const auto refusal = [](const std::vector<std::string>& arguments) {
    return refusal_of_verb(cli::step_model_verb(), arguments);
  };
  CHECK(refusal({"--processes", "3"}) == "step-model: --tree: missing");
  CHECK(refusal({"--tree", plain}) == "step-model: --processes: missing");
  CHECK_THAT(refusal({"--tree", folder.path() / "none.json", "--processes", "3"}),
             Contains("none.json: no such file"));
  CHECK_THAT(refusal({"--tree", plain, "--processes", "3,0"}),
             Contains("--processes: expected a whole number from 1 to 16777216, got \"0\""));
  CHECK_THAT(refusal({"--tree", plain, "--processes", "3,"}), Contains("got \"\""));
  CHECK_THAT(refusal({"--tree", plain, "--processes", "3,3"}), Contains("\"3\" is named twice"));
  CHECK_THAT(refusal({"--tree", plain, "--processes", "3", "--activity", "loads"}),
             Contains("did you mean \"load\"?"));
  CHECK_THAT(refusal({"--tree", plain, "--processes", "3", "--initial-credit", "0"}),
             Contains("--initial-credit: expected a whole number from 1"));
  CHECK(refusal({"--tree", plain, "--processes", "3", "--mapping", "file"}) ==
        plain + ": ranks: missing, expected the rank of every task for --mapping file");
  CHECK(refusal({"--tree", mapped, "--processes", "3,2"}) ==
        mapped + ": ranks[2]: expected a rank below 2, the number of processes, got 2");
  CHECK(refusal({"--tree", mapped, "--processes", "2", "--mapping", "random"}).empty());
}

TEST_CASE("tree writes a tree that step-model reads, the same for the same seed") {
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "t.json").string();
  const std::string said = output_of(
      cli::tree_verb(),
      {"--preset", "small", "--seed", "7", "--out", file, "--mapping=random", "--processes", "6"});
  Stream random = workloads::task_tree_stream(7, 0);
  const TaskTree tree = workloads::random_task_tree(*workloads::task_tree_preset("small"), random);
  CHECK(said == file + ": " + std::to_string(tree.tasks()) + " tasks on " +
                    std::to_string(workloads::level_starts(tree).size() - 1) + " levels\n");
  CHECK(scenario::read_task_tree(file).tree.parents == tree.parents);
  CHECK(scenario::read_task_tree(file).ranks ==
        workloads::random_ranks(tree.tasks(), 6, workloads::task_mapping_stream(7, 0)));
  CHECK(output_of(cli::tree_verb(), {"--seed", "7"}) == scenario::task_tree_text(tree, {}));
  CHECK_THAT(output_of(cli::step_model_verb(), {"--tree", file, "--processes", "6"}),
             Contains("mapping file"));
}

TEST_CASE("tree follows its parameters") {
  const auto tasks = [](const std::vector<std::string>& arguments) {
    return scenario::parse_task_tree(output_of(cli::tree_verb(), arguments), "t").tree.tasks();
  };
  CHECK(tasks({"--lambda", "0"}) == 7);
  CHECK(tasks({"--lambda", "0", "--minimum-height", "5"}) == 31);
  CHECK(tasks({"--lambda", "1", "--maximum-height", "6"}) == 63);
  CHECK(tasks({"--lambda", "0", "--minimum-height", "1", "--subtree-heights", "4"}) == 15);
  CHECK(tasks({"--tasks", "47"}) == 47);
  const auto wide = tasks({"--preset", "medium", "--tasks", "9000-10000", "--seed", "2"});
  CHECK((wide >= 9000 && wide <= 10000));
}

TEST_CASE("tree refuses what it cannot draw, and leaves no file") {
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "t.json").string();
  const std::map<std::vector<std::string>, std::string> refusals = {
      {{"--preset", "smal"}, "did you mean \"small\"?"},
      {{"--preset", "wide"}, "--preset: expected small, medium or big, got \"wide\""},
      {{"--lambda", "1.5"}, "--lambda: expected a number from 0 to 1, got \"1.5\""},
      {{"--lambda", "nan"}, "expected a number from 0 to 1"},
      {{"--lambda", "1", "--maximum-height", "60"}, "grows beyond 4194304 tasks"},
      {{"--lambda", "1", "--maximum-height", "22"}, "MiB, expected at most 16"},
      {{"--subtree-heights", "5-2"}, "expected a whole number from 5 to 26"},
      {{"--tasks", "8-2000000", "--lambda", "0"}, "no tree of this shape has 8 to 2000000 tasks"},
      {{"--mapping", "random"}, "expected both or neither"},
      {{"--processes", "4"}, "expected both or neither"},
      {{"--seed", "-1"}, "--seed: expected a whole number from 0"},
  };
  for (const auto& [arguments, refusal] : refusals) {
    std::vector<std::string> words = arguments;
    words.insert(words.end(), {"--out", file});
    CHECK_THAT(refusal_of_verb(cli::tree_verb(), words), Contains(refusal));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  // What is expected stands there once.
  CHECK_THAT(refusal_of_verb(cli::tree_verb(), {"--preset", "wide"}),
             Catch::Matchers::EndsWith("\"wide\""));
}

}  // namespace faultline::theory
