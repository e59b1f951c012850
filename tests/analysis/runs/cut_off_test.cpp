// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/cut_off.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/runs/replications.hpp"
#include "analysis/runs/run_report.hpp"
#include "analysis/runs/run_tally.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/core/registry.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/analysis/store/hand_made_store.hpp"

namespace faultline::runs {

using Catch::Contains;

namespace {

/// Runs the first replication of each point of a scenario with higher and higher limits. Returns
/// the metrics that should be at least what a run that was cut off has measured, and are not.
std::string shrinking_metrics(const std::string& file) {
  constexpr std::uint64_t kMostEvents = 20000;
  std::string shrunk;
  std::map<std::pair<std::size_t, std::string>, double> largest;  // by point and metric
  for (std::uint64_t events = 20; events <= kMostEvents; events += 1 + events / 3) {
    scenario::ScenarioOverrides cut;
    cut.sets = {"stop.events=" + std::to_string(events), "replications=1", "engine=loggp"};
    const scenario::Scenario scenario = scenario::load_scenario(file, cut);
    for (std::size_t point = 0; point < scenario.points.size(); ++point) {
      const ReplicationRecord record = simulated(scenario, point, 0);
      if (!record.run) return record.error;
      for (const RunMetric& metric : record.run->metrics) {
        if (!metric.value || bound_of(metric.name) != statistics::MeanBound::at_least) continue;
        const auto [known, is_new] = largest.emplace(std::pair(point, metric.name), *metric.value);
        if (*metric.value < known->second)
          shrunk += metric.name + " after " + std::to_string(events) +
                    " events: " + std::to_string(*metric.value) + " < " +
                    std::to_string(known->second) + "\n";
        known->second = std::max(known->second, *metric.value);
      }
    }
  }
  return shrunk;
}

RunTally tally_of(const std::vector<RunRecord>& runs) {
  RunTally tally(1);
  for (const RunRecord& run : runs)
    tally.add({.point = 0,
               .replication = static_cast<std::uint64_t>(run.replication),
               .run = run,
               .error = {}});
  tally.end.planned = runs.size();
  return tally;
}

scenario::Scenario scenario_of_one_point() {
  scenario::Scenario scenario;
  scenario.name = "cut";
  scenario.replications = 4;
  scenario.points.resize(1);
  scenario.points[0].components[index_of(Family::termination)].registration =
      find_registration(Family::termination, "cda");
  scenario.point_labels = {"the point"};
  return scenario;
}

}  // namespace

TEST_CASE("what is called a lower bound never shrinks while a run goes on") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_directory() / "examples")) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path().filename());
    CHECK(shrinking_metrics(entry.path().string()) == "");
    ++files;
  }
  CHECK(files > 20);
}

TEST_CASE("means, rates and what is there at the end are no bounds") {
  for (const char* metric : {"failure_detection_latency_mean_s", "failed_ranks", "missed_reports",
                             "detection_busiest_link_Bps", "commit_time_s", "interior_fraction_max",
                             "state_digest", "tasks_missing", "tasks_repeated", "half_round_trip_s",
                             "iteration_time_s", "of_another_program"})
    CHECK(bound_of(metric) == statistics::MeanBound::unknown);
  for (const char* metric : {"end_time_s", "control_messages", "control_messages.probe", "waves",
                             "terminated", "tasks", "failure_detection_latency_s"})
    CHECK(bound_of(metric) == statistics::MeanBound::at_least);
}

TEST_CASE("a limit decides whether a run has completed, so that share is marked by none") {
  CHECK(bound_of("completed") == statistics::MeanBound::exact);
  statistics::Summary share = statistics::summarize_share({1, 0, 1});
  const double low = share.confidence_95->low;
  mark_cut_off(share, "completed", 1);
  CHECK(share.bound == statistics::MeanBound::exact);
  CHECK(share.cut_off == 0);
  REQUIRE(share.confidence_95);
  CHECK(share.confidence_95->low == low);
}

TEST_CASE("the table and the JSON of a run mark means over runs that were cut off") {
  // 400, 300, 600 and 500 messages: 450 in the mean, and at least that as two of them were cut off.
  std::vector<RunRecord> runs = {store::ended_run(0, engine::Outcome::terminated, 400),
                                 store::ended_run(1, engine::Outcome::limit, 300),
                                 store::ended_run(2, engine::Outcome::limit, 600),
                                 store::ended_run(3, engine::Outcome::terminated, 500)};
  const scenario::Scenario scenario = scenario_of_one_point();
  const RunTally tally = tally_of(runs);
  const std::string table = run_report_table(scenario, tally);
  CHECK_THAT(table, Contains(">= 450") && Contains("2 of 4 runs were cut off at a limit") &&
                        Contains("2 limit"));
  // Runs that were cut off have no latency, so that of the others is as it is.
  CHECK_THAT(table, Contains("500") && !Contains(">= 500"));
  std::string json;
  write_run_report_json(scenario, tally, LineSpool("/tmp"),
                        [&](const std::string& text) { json += text; });
  CHECK_THAT(json, Contains(R"("cut_off": 2)") && Contains(R"("bound": "at-least")"));
  for (RunRecord& run : runs) run.outcome = engine::Outcome::terminated;
  CHECK_THAT(run_report_table(scenario, tally_of(runs)),
             Contains("450 +- 205") && !Contains("cut off") && !Contains(">="));
}

}  // namespace faultline::runs
