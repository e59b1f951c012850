// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/derived_metrics.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/runs/run_report.hpp"
#include "analysis/runs/run_tally.hpp"
#include "sim/engine/verdict/run_result.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::runs {

using Catch::Contains;

namespace {

/// The record of a run that ended so, of a point that stops then.
RunRecord ended(std::uint64_t replication, engine::Outcome outcome, scenario::StopWhen when) {
  scenario::RunSpec spec;
  spec.stop.when = when;
  engine::RunResult result;
  result.outcome = outcome;
  return run_record(replication, result, spec);
}

}  // namespace

TEST_CASE("a run has completed if it terminated or finished, and not if it ended otherwise") {
  const std::set<std::string> good = {"terminated", "finished"};
  const std::vector<std::string> words = engine::outcome_words();
  REQUIRE(words.size() > good.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    INFO(words[i]);
    const auto outcome = static_cast<engine::Outcome>(i);
    for (const auto when : {scenario::StopWhen::announced, scenario::StopWhen::finished})
      CHECK(ended(0, outcome, when).number("completed") == (good.contains(words[i]) ? 1.0 : 0.0));
    // Such runs end wherever their programs are.
    for (const auto when : {scenario::StopWhen::time, scenario::StopWhen::all_reported}) {
      const RunRecord run = ended(0, outcome, when);
      CHECK(run.has_number("completed"));
      CHECK_FALSE(run.number("completed"));
    }
  }
}

TEST_CASE("what ends the runs of a stored point is read from its scenario") {
  const auto frame_of_word = [](const char* when) {
    return frame_of(json::json_object({{"stop", json::json_object({{"when", when}})}}));
  };
  CHECK(frame_of_word("announced").ends_with_program);
  CHECK(frame_of_word("finished").ends_with_program);
  CHECK_FALSE(frame_of_word("time").ends_with_program);
  CHECK_FALSE(frame_of_word("all-reported").ends_with_program);
  CHECK(frame_of(json::json_object({{"stop", json::JsonValue()}})).ends_with_program);
}

TEST_CASE("messages of a failure detector by nodes and seconds") {
  // 600 messages in 10 s from 12 ranks, 5 of them on a node: on three nodes.
  RunRecord run;
  run.metrics = {{"detection_messages", 600}, {"end_time_s", 10}};
  const RunFrame frame = frame_of(json::json_object(
      {{"platform", json::json_object({{"processes", 12}, {"processes_per_node", 5}})}}));
  CHECK(frame.nodes == 3);
  constexpr const char* kRate = "detection_messages_per_node_per_s";
  run.derived = derived_metrics(run, frame);
  CHECK(*run.number(kRate) == 20);
  run.metrics[1].value = 0.0;
  run.derived = derived_metrics(run, frame);
  CHECK(run.has_number(kRate));
  CHECK_FALSE(run.number(kRate));
  run.metrics = {{"end_time_s", 10}};
  run.derived = derived_metrics(run, frame);
  CHECK_FALSE(run.has_number(kRate));
  // A store of a stranger may have any numbers.
  for (const int bad : {0, -1})
    CHECK(frame_of(json::json_object(
                       {{"platform",
                         json::json_object({{"processes", 12}, {"processes_per_node", bad}})}}))
              .nodes == 0);
  scenario::RunSpec spec;
  spec.platform.processes = 9;
  spec.platform.processes_per_node = 4;
  CHECK(frame_of(spec).nodes == 3);
}

TEST_CASE("node hours are those of all nodes that the job keeps, spare ones too") {
  // 12 ranks on three nodes, and two spare nodes, for half an hour.
  RunRecord run;
  run.metrics = {{"end_time_s", 1800}};
  const auto platform = [](std::int64_t spare_nodes) {
    return frame_of(json::json_object(
        {{"platform",
          json::json_object(
              {{"processes", 12}, {"processes_per_node", 5}, {"spare_nodes", spare_nodes}})}}));
  };
  run.derived = derived_metrics(run, platform(2));
  CHECK(*run.number("node_hours") == 2.5);
  run.derived = derived_metrics(run, platform(0));
  CHECK(*run.number("node_hours") == 1.5);
  scenario::RunSpec spec;
  spec.platform.processes = 9;
  spec.platform.processes_per_node = 4;
  spec.platform.spare_nodes = 5;
  run.derived = derived_metrics(run, frame_of(spec));
  CHECK(*run.number("node_hours") == 4);
  run.derived = derived_metrics(run, RunFrame());  // how many nodes it had is not known
  CHECK_FALSE(run.number("node_hours"));
}

TEST_CASE("the share of runs that completed counts limits and memory, and no crash") {
  scenario::Scenario scenario;
  scenario.replications = 5;
  scenario.points.resize(1);
  scenario.points[0].stop.when = scenario::StopWhen::finished;
  scenario.point_labels = {"the point"};
  const auto tally_of = [&](scenario::StopWhen when) {
    scenario.points[0].stop.when = when;
    RunTally tally(1);
    tally.end.planned = 5;
    std::uint64_t replication = 0;
    for (const engine::Outcome outcome :
         {engine::Outcome::finished, engine::Outcome::limit, engine::Outcome::fatal_reported}) {
      tally.add({.point = 0,
                 .replication = replication,
                 .run = ended(replication, outcome, when),
                 .error = {}});
      ++replication;
    }
    tally.add({.point = 0,
               .replication = 3,
               .run = std::nullopt,
               .error = "out of memory",
               .out_of_memory = true});
    tally.add({.point = 0, .replication = 4, .run = std::nullopt, .error = "killed"});
    return tally;
  };
  const auto json_of = [&](const RunTally& tally) {
    std::string json;
    write_run_report_json(scenario, tally, LineSpool("/tmp"),
                          [&](const std::string& text) { json += text; });
    return json;
  };
  // One in four: 0.006 to 0.806 in printed tables.
  const RunTally tally = tally_of(scenario::StopWhen::finished);
  CHECK_THAT(run_report_table(scenario, tally),
             Contains("completed") && Contains("0.25 [0.01, 0.81]"));
  const std::string json = json_of(tally);
  const std::string of_completed = json.substr(json.find("\"completed\""), 400);
  CHECK_THAT(of_completed, Contains("\"count\": 4") && Contains("\"mean\": 0.25") &&
                               Contains("\"cut_off\": 0") && Contains("\"bound\": null"));
  const RunTally until_time = tally_of(scenario::StopWhen::time);
  CHECK_THAT(run_report_table(scenario, until_time), !Contains("completed"));
  CHECK(tally.metrics.contains("completed"));
}

}  // namespace faultline::runs
