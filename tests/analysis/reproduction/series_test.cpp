// SPDX-License-Identifier: Apache-2.0

// Series: the samples that they keep, and what is wrong with one in a data file.

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <utility>

#include "analysis/reproduction/verdicts.hpp"
#include "tests/analysis/reproduction/walk_item.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

TEST_CASE("a series keeps the samples that plain runs of its scenario give") {
  const ReproductionItem item = walk_item(
      R"({"cell": "last", "metric": "control_messages"},
         {"cell": "at 8", "metric": "control_messages", "at": 8},
         {"cell": "ratio", "metric": "control_messages", "detector": "hcda",
          "relative_to": "cda"})",
      kWalkSeries);
  const ItemResult result = reproduce_item(item, {.quick = false, .jobs = 2});
  REQUIRE(result.measured.size() == 1);
  const auto& points = result.measured[0].points;
  REQUIRE(points.size() == 3);
  CHECK(points[1].at == 8);
  CHECK(points[1].samples.at("cda").at("idle_transitions").size() == 4);
  // A measure of kind runs gives this, too, with one scenario for each point.
  for (const auto& [processes, replications] : {std::pair{8, 4}, {16, 2}}) {
    const std::string changes = R"([{"platform.processes": )" + std::to_string(processes) + "}]";
    const std::string runs = R"("measures": {"m": {"kind": "runs", "scenario": "walk",
        "metric": "control_messages", "quick_replications": 1, "changes": )" +
                             changes + R"(, "replications": )" + std::to_string(replications) +
                             "}},";
    const ItemResult plain = reproduce_item(walk_item(R"({"cell": "a"})", runs), {});
    const std::size_t cell = processes == 8 ? 1 : 0;
    CHECK(*plain.cells[0].measured.value == *result.cells[cell].measured.value);
  }
  const auto& last = points[2].samples;
  double ratios = 0;
  for (std::size_t i = 0; i < 2; ++i)
    ratios += last.at("hcda").at("control_messages")[i] / last.at("cda").at("control_messages")[i];
  CHECK(*result.cells[2].measured.value == Approx(ratios / 2));
  const ItemResult quick = reproduce_item(item, {.quick = true, .jobs = 1});
  REQUIRE(quick.measured[0].points.size() == 2);
  CHECK(quick.measured[0].points[1].samples.at("cda").at("control_messages").size() == 2);
  REQUIRE(quick.cells.size() == 2);  // the last point is that of "at 8" now
  double of_cda = 0;
  for (const double value : quick.measured[0].points[1].samples.at("cda").at("control_messages"))
    of_cda += value / 2;
  CHECK(*quick.cells[0].measured.value == of_cda);
}

TEST_CASE("what is wrong with a series is said with file and place") {
  const auto refusal = [](const std::string& cell, const std::string& from, const std::string& to,
                          bool overlaid = false) {
    std::string series = kWalkSeries;
    const std::size_t place = series.find(from);
    if (!from.empty()) series.replace(place, from.size(), to);
    if (overlaid) series += R"("overlaid": true,)";
    return walk_refusal(cell, series);
  };
  const std::string cell = R"({"cell": "a", "metric": "control_messages"})";
  CHECK_THAT(refusal(cell, "[3, 4, 2]", "[3, 4]"),
             Contains("measures.m.replications: expected a number above 0 for each"));
  CHECK_THAT(refusal(cell, R"("quick_points": 2)", R"("quick_points": 4)"),
             Contains("measures.m.quick_points: expected at most 3"));
  CHECK_THAT(refusal(cell, R"({"platform.processes": 8})", R"({"platform.processes": 4})"),
             Contains("measures.m.changes[1]: expected platform.processes to ascend"));
  CHECK_THAT(refusal(cell, R"({"platform.processes": 8})", R"({"seed": 8})"),
             Contains("measures.m.changes[1]: expected a member \"platform.processes\""));
  CHECK_THAT(refusal(cell, R"(["m"])", R"(["n"])"), Contains("curves[0]: expected a measure"));
  CHECK_THAT(refusal(R"({"cell": "a", "metric": "borrows"})", "", ""),
             Contains("groups[0].cells[0].metric: expected one of the metrics of its measure"));
  CHECK_THAT(refusal(R"({"cell": "a", "metric": "control_messages", "at": 12})", "", ""),
             Contains("groups[0].cells[0].at: expected a point of its measure"));
  CHECK_THAT(refusal(cell, R"("metrics")", R"("drawn_relative_to": "edod", "metrics")"),
             Contains("measures.m.drawn_relative_to: expected a detector of its scenario"));
  CHECK_THAT(refusal(cell, R"("metrics")", R"("drawn_relative_to": "cda", "metrics")", true),
             Contains("overlaid: expected false: only series that are drawn as boxes can be"));
}

}  // namespace faultline::reproduction
