// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/survival_report.hpp"

#include <catch2/catch.hpp>

namespace faultline::theory {

using Catch::Matchers::Contains;

namespace {

/// Two sizes of faults, one of them above what Table 1 lists by itself; figures that no form gives.
SurvivalReport by_hand() {
  const faults::FaultCounts faults = {.name = "a, b",
                                      .description = "",
                                      .source = "a machine in M\xC3\xBCnchen",
                                      .by_size = {{1, 3}, {30, 1}},
                                      .total = 4};
  const auto row = [](const std::string& protocol, std::optional<std::int64_t> fanout) {
    return SurvivalRow{
        .protocol = protocol,
        .fanout = fanout,
        .survival_percent = 75,
        .failure_probability = 0.25,
        .by_size = {
            {.failed = 1, .count = 3, .given_fault = {1, 0}},
            {.failed = 30, .count = 1, .given_fault = {0, 1}, .failure_probability = 0.25}}};
  };
  return {.processes = 40,
          .faults = faults,
          .rows = {row("indep", 2), row("rel", {})},
          .left_out = {512}};
}

}  // namespace

TEST_CASE("survival as JSON is written as all JSON is: whole numbers without a point, UTF-8") {
  SurvivalReport report = by_hand();
  report.rows.erase(report.rows.begin());
  CHECK(survival_json(report) == R"({
  "processes": 40,
  "distribution": "a, b",
  "source": "a machine in München",
  "rows": [
    {
      "protocol": "rel",
      "fanout": null,
      "survival_percent": 75,
      "failure_probability": 0.25,
      "by_size": [
        {
          "failed": 1,
          "count": 3,
          "failure_probability": 0
        },
        {
          "failed": 30,
          "count": 1,
          "failure_probability": 0.25
        }
      ]
    }
  ]
}
)");
  CHECK_THAT(survival_json(by_hand()), Contains("\"fanout\": 2,"));
}

TEST_CASE("survival as CSV has a record for each size, and one for all") {
  CHECK(survival_csv(by_hand()) ==
        "processes,distribution,protocol,fanout,failed,count,failure_probability,survival_percent\n"
        "40,\"a, b\",indep,2,1,3,0,100\n"
        "40,\"a, b\",indep,2,30,1,0.25,0\n"
        "40,\"a, b\",indep,2,all,4,0.25,75\n"
        "40,\"a, b\",rel,,1,3,0,100\n"
        "40,\"a, b\",rel,,30,1,0.25,0\n"
        "40,\"a, b\",rel,,all,4,0.25,75\n");
}

TEST_CASE("the table of survival adds large faults up, and says what is left out") {
  const std::string table = survival_table(by_hand());
  CHECK_THAT(table, Contains("in a job of 40 processes:") && Contains("all >20") &&
                        Contains("75.000") &&
                        Contains("Faults: a, b, 4 recorded. Source: a machine in") &&
                        Contains("f=512 is left out: a process has at most 39 successors here.\n"));
  SurvivalReport small = by_hand();
  small.faults.by_size.pop_back();
  small.faults.total = 3;
  for (SurvivalRow& row : small.rows) row.by_size.pop_back();
  small.left_out.clear();
  CHECK_THAT(survival_table(small), !Contains("all >20") && !Contains("left out"));
}

}  // namespace faultline::theory
