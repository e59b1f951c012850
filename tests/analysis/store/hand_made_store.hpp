// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/store/query.hpp"
#include "analysis/store/result_store.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::store {

/// A run that ended in that way, with that many control messages.
inline runs::RunRecord ended_run(std::int64_t replication, engine::Outcome outcome,
                                 double messages) {
  runs::RunRecord run;
  run.replication = replication;
  run.outcome = outcome;
  run.terminated = outcome == engine::Outcome::terminated;
  if (outcome == engine::Outcome::fatal_reported) run.fatal_reason = "the <root> has failed";
  run.metrics = {
      {"control_messages", messages},
      {"detection_latency_s",
       outcome == engine::Outcome::terminated ? std::optional<double>(0.5) : std::nullopt},
      {"borrows", std::nullopt}};
  return run;
}

/// A store made by hand, of one study.
class HandMadeStore {
 public:
  HandMadeStore() {
    study_ = store_.add_study(
        {.name = "by hand", .hash = "h", .points = 100, .faultline = "1", .simgrid = ""});
  }

  /// A point with these swept values, whose runs have these control messages; those below 0 gave
  /// up.
  void add(const json::JsonValue::Object& swept, const std::vector<double>& messages,
           std::int64_t seed = 1) {
    std::vector<runs::RunRecord> runs;
    for (std::size_t i = 0; i < messages.size(); ++i)
      runs.push_back(
          ended_run(static_cast<std::int64_t>(i),
                    messages[i] < 0 ? engine::Outcome::fatal_reported : engine::Outcome::terminated,
                    messages[i] < 0 ? -messages[i] : messages[i]));
    add_runs(swept, std::move(runs), seed);
  }

  /// A point with these swept values and runs.
  void add_runs(const json::JsonValue::Object& swept, std::vector<runs::RunRecord> runs,
                std::int64_t seed = 1) {
    add_point(swept, std::move(runs), "", seed);
  }

  /// A point that failed for that reason, before it had any run.
  void add_failed(const json::JsonValue::Object& swept, const std::string& failure,
                  std::int64_t seed = 1) {
    add_point(swept, {}, failure, seed);
  }

  /// The `stop.when` of the points that are added from now on.
  void stop_when(const std::string& word) {
    scenario_.set("stop", json::json_object({{"when", word}}));
  }

  std::vector<SelectedPoint> points() { return select_points(store_, {}); }

 private:
  void add_point(const json::JsonValue::Object& swept, std::vector<runs::RunRecord> runs,
                 const std::string& failure, std::int64_t seed) {
    StoredPoint point;
    point.study = study_;
    point.point = points_++;
    point.hash = std::to_string(point.point);
    point.engine = "loggp";
    point.seed = seed;
    point.parameters = swept;
    point.scenario = scenario_;
    point.failure = failure;
    point.runs = std::move(runs);
    store_.save(point);
  }

  TemporaryDirectory directory_;
  ResultStore store_{(directory_.path() / "r.sqlite").string(), StoreUse::sweep};
  json::JsonValue scenario_ =
      json::json_object({{"faults", json::json_object({{"counts", json::JsonValue(1)}})}});
  std::int64_t study_ = 0;
  std::int64_t points_ = 0;
};

/// The swept values of a point.
inline json::JsonValue::Object swept(const std::string& protocol, int processes) {
  return {{"termination", json::json_object({{"name", protocol}})},
          {"platform.processes", processes}};
}

}  // namespace faultline::store
