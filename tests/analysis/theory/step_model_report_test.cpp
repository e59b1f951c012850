// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/step_model_report.hpp"

#include <catch2/catch.hpp>

namespace faultline::theory {

using Catch::Matchers::Contains;

namespace {

const std::vector<StepModelRow> kRows = {
    {.processes = 3,
     .activity = "load",
     .rules = "literal",
     .counts = {.four_counter = 1, .edod = 2, .hcda = 3, .cda = 4}}};

/// Three tasks: a root and its two children.
TaskTreeFile three_tasks() {
  return {.file = "t.json", .tree = {.parents = {kNoTask, 0, 0}}, .ranks = {}};
}

}  // namespace

TEST_CASE("the counts of a step model as JSON and CSV") {
  CHECK(step_model_json(kRows) == R"([
  {
    "processes": 3,
    "activity": "load",
    "rules": "literal",
    "four-counter": 1,
    "edod": 2,
    "hcda": 3,
    "cda": 4
  }
]
)");
  CHECK(step_model_csv(kRows) ==
        "processes,activity,rules,four-counter,edod,hcda,cda\n"
        "3,load,literal,1,2,3,4\n");
}

TEST_CASE("the table of a step model names the tree, and the seed of a random mapping") {
  StepModelChoices choices;
  choices.mapping = "round-robin";
  choices.seed = 17;
  CHECK_THAT(step_model_table(choices, three_tasks(), kRows),
             Contains("t.json, 3 tasks") && Contains("on 2 levels") && !Contains("17"));
  choices.mapping = "random";
  CHECK_THAT(step_model_table(choices, three_tasks(), kRows), Contains("(seed 17)"));
}

}  // namespace faultline::theory
