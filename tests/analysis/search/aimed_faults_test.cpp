// SPDX-License-Identifier: Apache-2.0

// Faults are aimed at what happens: they strike, many of them amid what another one has begun, and
// what is drawn besides stays as it was.

#include "analysis/search/aimed_faults.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "analysis/search/admitted_scenario.hpp"
#include "analysis/search/drawn_scenario.hpp"
#include "analysis/search/judged_run.hpp"
#include "analysis/search/option_places.hpp"
#include "analysis/search/run_track.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/support/json_tree.hpp"

namespace faultline::search {

using faultline::test::tree;

namespace {

Judgement judged_quickly(const json::JsonValue& scenario) {
  return judged(scenario, {.events = 20000, .explored_each = 0});
}

/// A job that lasts for about 6 ms, and whose faults strike long after it.
const std::string kLate = R"({"schema_version": 1, "name": "late", "seed": 1,
  "platform": {"machine": "mira", "processes": 8, "spare_nodes": 4},
  "workload": {"name": "stencil", "iterations": 6, "checkpoint_iterations": 2,
               "compute_s": 1e-3},
  "message_logging": {"name": "checkpoint-restart"},
  "failure_detection": {"name": "oracle", "delay_s": 1e-4},
  "faults": {"at": [{"time_s": 70, "ranks": [3]}, {"time_s": 80, "ranks": [3]}]}})";

}  // namespace

TEST_CASE("a number is a scenario, with its aim") {
  for (std::uint64_t number = 0; number < 40; ++number)
    CHECK(json::to_json(aimed_scenario(number)) == json::to_json(aimed_scenario(number)));
}

TEST_CASE("aiming changes moments, victims, times and the delay of fences, and nothing else") {
  const std::set<std::string> moments{"faults.at.time_s", "faults.at.event", "faults.at.mark",
                                      "platform.fencing", "platform.fencing.delay_s"};
  for (std::uint64_t number = 0; number < 100; ++number) {
    CAPTURE(number);
    const auto places = [&](const json::JsonValue& scenario) {
      std::multiset<std::string> stated;
      for (const std::string& place : stated_options(scenario))
        if (!moments.contains(place)) stated.insert(place);
      return stated;
    };
    json::JsonValue drawn = draw_scenario(number);
    json::JsonValue aimed = with_aimed_faults(drawn, Stream(number, 0, Purpose::faults, 0));
    CHECK(places(drawn) == places(aimed));
    for (json::JsonValue* const scenario : {&drawn, &aimed}) {
      scenario->set("faults", {});
      json::JsonValue& platform = *scenario->find("platform");
      json::JsonValue fencing = json::JsonValue::Object{};
      if (const json::JsonValue* const given = platform.find("fencing")) fencing = *given;
      fencing.set("delay_s", {});
      platform.set("fencing", std::move(fencing));
    }
    CHECK(json::to_json(json::sorted(drawn)) == json::to_json(json::sorted(aimed)));
  }
}

TEST_CASE("faults that would strike after the end are aimed into the run") {
  CHECK_FALSE(judged_quickly(tree(kLate)).struck);
  int struck = 0;
  int amid = 0;
  std::set<std::string> ways;
  for (std::uint64_t number = 0; number < 100; ++number) {
    const json::JsonValue aimed =
        with_aimed_faults(tree(kLate), Stream(number, 0, Purpose::faults, 0));
    const Judgement judgement = judged_quickly(aimed);
    CHECK(judgement.may_die);
    struck += judgement.struck ? 1 : 0;
    amid += judgement.struck_amid ? 1 : 0;
    for (const std::string& place : stated_options(aimed))
      if (place.starts_with("faults.at.")) ways.insert(place);
  }
  // One fault in ten stays as it was drawn, so both do in one scenario of a hundred.
  CHECK(struck >= 90);
  CHECK(amid >= 15);
  CHECK(ways.contains("faults.at.event"));
  CHECK(ways.contains("faults.at.mark"));
  CHECK(ways.contains("faults.at.time_s"));
}

TEST_CASE("a process that has come back is struck again") {
  const auto again = [](const json::JsonValue& scenario) {
    scenario::Scenario parsed = scenario::parse_scenario(json::to_json(scenario), "again.json");
    RunTrack track;
    engine::run_simulation(parsed.points.front(), scenario::EngineKind::loggp, 1, 0, &track);
    const auto restarted = track.moments().find({.kind = audit::Sight::Kind::restarted});
    if (restarted == track.moments().end()) return false;
    std::set<ActorId> ranks;
    for (const RunTrack::Moment& moment : restarted->second)
      if (!ranks.insert(moment.actor).second) return true;
    return false;
  };
  int times = 0;
  for (std::uint64_t number = 0; number < 100; ++number)
    times += again(with_aimed_faults(tree(kLate), Stream(number, 0, Purpose::faults, 0))) ? 1 : 0;
  CHECK(times >= 10);
}

TEST_CASE("a fence is aimed at what the accused process sends") {
  const std::string text = R"({"schema_version": 1, "seed": 1,
    "platform": {"machine": "mira", "processes": 8, "spare_nodes": 4},
    "workload": {"name": "stencil", "iterations": 60, "checkpoint_iterations": 2,
                 "compute_s": 1e-3},
    "message_logging": {"name": "checkpoint-restart"},
    "failure_detection": {"name": "erring-oracle", "delay_s": 1e-4}})";
  int aimed = 0;
  for (std::uint64_t number = 0; number < 20; ++number) {
    const json::JsonValue scenario =
        with_aimed_faults(tree(text), Stream(number, 0, Purpose::faults, 0));
    const json::JsonValue* const fencing = scenario.find("platform")->find("fencing");
    if (fencing == nullptr) continue;
    ++aimed;
    CHECK(json::number_of(*fencing->find("delay_s")).value_or(-1) > 0.0);
  }
  CHECK(aimed > 0);
  CHECK(aimed < 20);
}

TEST_CASE("sources get the scale of the run") {
  const std::string text = R"({"schema_version": 1, "seed": 1,
    "platform": {"machine": "mira", "processes": 8},
    "workload": {"name": "uniform-traffic", "hops": 50, "compute_s": 1e-4},
    "failure_detection": {"name": "oracle"},
    "faults": {"poisson": {"mtbf_s": 1000000, "victims": "ranks"}}})";
  CHECK_FALSE(judged_quickly(tree(text)).struck);
  int struck = 0;
  for (std::uint64_t number = 0; number < 50; ++number)
    struck +=
        judged_quickly(with_aimed_faults(tree(text), Stream(number, 0, Purpose::faults, 0))).struck
            ? 1
            : 0;
  CHECK(struck >= 25);
}

TEST_CASE("a track keeps what is rare apart from what is frequent") {
  scenario::Scenario scenario = scenario::parse_scenario(kLate, "late.json");
  scenario.points.front().faults.clear();
  RunTrack track;
  engine::run_simulation(scenario.points.front(), scenario::EngineKind::loggp, 1, 0, &track);
  std::size_t marks = 0;
  std::size_t sent = 0;
  for (const auto& [kind, moments] : track.moments()) {
    if (kind.kind == audit::Sight::Kind::mark && kind.mark == "checkpoint") marks += moments.size();
    if (kind.kind == audit::Sight::Kind::sent && kind.channel == Family::workload)
      sent += moments.size();
  }
  CHECK(marks > 0);
  CHECK(marks % 8 == 0);  // all ranks take each checkpoint
  CHECK(sent > marks);
  CHECK(track.last_s() > 6e-3);
  CHECK(track.last_death_s() == 0.0);
}

TEST_CASE("what is refused is left out, and nothing else") {
  const json::JsonValue scenario = tree(R"({"schema_version": 1,
    "platform": {"machine": "mira", "processes": 4, "processes_per_node": 0, "spare_nodes": 1},
    "workload": {"name": "ping-pong", "repetitions": -3, "bytes": 8},
    "faults": {"at": [{"time_s": 1, "ranks": [1, 9]}, {"time_s": 2, "ranks": [9]}]}})");
  CHECK(json::to_json(admitted(scenario)) == json::to_json(tree(R"({"schema_version": 1,
    "platform": {"machine": "mira", "processes": 4, "spare_nodes": 1},
    "workload": {"name": "ping-pong", "bytes": 8},
    "faults": {"at": [{"time_s": 1, "ranks": [1]}]}})")));
  // No scenario is one without a name of its workload.
  const json::JsonValue nameless = tree(R"({"schema_version": 1,
    "platform": {"machine": "mira", "processes": 4}, "workload": {"name": "no-such"}})");
  CHECK(json::to_json(admitted(nameless)) == json::to_json(nameless));
}

TEST_CASE("a scenario that is refused stays as it was drawn") {
  const json::JsonValue refused = tree(R"({"schema_version": 1,
    "platform": {"machine": "mira", "processes": 2}, "workload": {"name": "no-such"},
    "faults": {"at": [{"time_s": 70, "ranks": [1]}]}})");
  CHECK(json::to_json(with_aimed_faults(refused, Stream(1, 0, Purpose::faults, 0))) ==
        json::to_json(refused));
}

}  // namespace faultline::search
