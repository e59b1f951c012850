// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/run_record.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/run_strata.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::runs {

namespace {

constexpr const char* kOutcome = "outcome";
constexpr const char* kTerminated = "terminated";
constexpr const char* kFatalReason = "fatal_reason";

json::JsonValue terminated_json(const RunRecord& run) {
  return run.terminated ? json::JsonValue(*run.terminated) : json::JsonValue();
}

json::JsonValue value_json(const RunMetric& metric) {
  if (!metric.value) return {};
  // A time stays a double even if it is a whole number.
  return statistics::metric_type(metric.name) == statistics::MetricType::time
             ? json::JsonValue(*metric.value)
             : json::json_number(*metric.value);
}

json::JsonValue derived_json(const RunMetric& metric) {
  const bool is_truth = statistics::metric_type(metric.name) == statistics::MetricType::share;
  return is_truth && metric.value ? json::JsonValue(*metric.value != 0.0) : value_json(metric);
}

json::JsonValue derived_json(const std::vector<RunMetric>& metrics) {
  json::JsonValue::Object object;
  for (const RunMetric& metric : metrics) object.push_back({metric.name, derived_json(metric)});
  return object;
}

const RunMetric* find_metric(const std::vector<RunMetric>& metrics, const std::string& name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const RunMetric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

/// The metric of that name. A store may come from a stranger and have one that is derived, too.
const RunMetric* find_metric(const RunRecord& run, const std::string& name) {
  const RunMetric* derived = find_metric(run.derived, name);
  return derived != nullptr ? derived : find_metric(run.metrics, name);
}

/// The member of an object. If it is missing, adds a problem and returns null.
const json::JsonValue* member(const json::JsonValue& json, const std::string& key,
                              const std::string& path, json::Problems& problems) {
  const json::JsonValue* value = json.find(key);
  if (value == nullptr) problems.add(json::member_path(path, key), "missing");
  return value;
}

std::string read_text(const json::JsonValue& json, const std::string& key, const std::string& path,
                      json::Problems& problems) {
  const json::JsonValue* value = member(json, key, path, problems);
  if (value == nullptr) return {};
  if (value->text() != nullptr) return *value->text();
  problems.add(json::member_path(path, key), "expected a text, got " + json::describe(*value));
  return {};
}

double read_number(const json::JsonValue& json, const std::string& key, const std::string& path,
                   json::Problems& problems) {
  const json::JsonValue* value = member(json, key, path, problems);
  if (value == nullptr) return 0;
  if (const auto number = json::number_of(*value)) return *number;
  problems.add(json::member_path(path, key), "expected a number, got " + json::describe(*value));
  return 0;
}

std::int64_t read_count(const json::JsonValue& json, const std::string& key,
                        const std::string& path, json::Problems& problems) {
  const json::JsonValue* value = member(json, key, path, problems);
  if (value == nullptr) return 0;
  const auto* count = std::get_if<std::int64_t>(&value->data);
  if (count != nullptr && *count >= 0) return *count;
  problems.add(json::member_path(path, key), "expected a count, got " + json::describe(*value));
  return 0;
}

std::optional<ActorId> read_actor(const json::JsonValue& json, const std::string& path,
                                  json::Problems& problems) {
  const json::JsonValue* value = member(json, "actor", path, problems);
  if (value == nullptr || value->is_null()) return std::nullopt;
  const std::int64_t actor = read_count(json, "actor", path, problems);
  if (actor <= std::int64_t{std::numeric_limits<ActorId>::max()})
    return static_cast<ActorId>(actor);
  problems.add(json::member_path(path, "actor"), "is not the number of an actor");
  return std::nullopt;
}

engine::Outcome read_outcome(const json::JsonValue& metrics, json::Problems& problems) {
  const std::string word = read_text(metrics, kOutcome, "metrics", problems);
  const std::vector<std::string> known = engine::outcome_words();
  const auto found = std::find(known.begin(), known.end(), word);
  if (found != known.end()) return static_cast<engine::Outcome>(found - known.begin());
  if (problems.empty())
    problems.add("metrics.outcome",
                 "unknown outcome " + json::in_quotes(word) + json::suggestion(word, known));
  return engine::Outcome::limit;
}

}  // namespace

bool RunRecord::has_number(const std::string& name) const {
  return name == kTerminated || find_metric(*this, name) != nullptr;
}

std::optional<double> RunRecord::number(const std::string& name) const {
  if (name == kTerminated)
    return terminated ? std::optional(*terminated ? 1.0 : 0.0) : std::nullopt;
  const RunMetric* metric = find_metric(*this, name);
  return metric == nullptr ? std::nullopt : metric->value;
}

json::JsonValue RunRecord::cell(const std::string& name) const {
  if (name == kOutcome) return engine::outcome_word(outcome);
  if (name == kTerminated) return terminated_json(*this);
  if (name == kFatalReason)
    return fatal_reason.empty() ? json::JsonValue() : json::JsonValue(fatal_reason);
  if (const RunMetric* metric = find_metric(derived, name)) return derived_json(*metric);
  const RunMetric* metric = find_metric(metrics, name);
  return metric == nullptr ? json::JsonValue() : value_json(*metric);
}

std::string no_fault_struck(std::size_t runs) {
  if (runs == 1) return "no drawn or recorded fault has struck in its only run";
  return "no drawn or recorded fault has struck in any of " + std::to_string(runs) + " runs";
}

bool survived(engine::Outcome outcome) {
  return outcome == engine::Outcome::terminated || outcome == engine::Outcome::finished;
}

bool survived(const RunRecord& run) { return survived(run.outcome); }

json::JsonValue metrics_json(const RunRecord& run) {
  json::JsonValue::Object metrics = {{kOutcome, engine::outcome_word(run.outcome)},
                                     {kTerminated, terminated_json(run)}};
  if (!run.fatal_reason.empty()) metrics.push_back({kFatalReason, run.fatal_reason});
  for (const RunMetric& metric : run.metrics) metrics.push_back({metric.name, value_json(metric)});
  return metrics;
}

json::JsonValue violations_json(const std::vector<audit::Violation>& violations) {
  json::JsonValue::List list;
  for (const audit::Violation& violation : violations)
    list.push_back(json::json_object(
        {{"kind", violation.kind},
         {"time_s", violation.time_s},
         {"actor",
          violation.actor ? json::JsonValue(std::int64_t{*violation.actor}) : json::JsonValue()},
         {"detail", violation.detail}}));
  return list;
}

void read_metrics(const json::JsonValue& json, RunRecord& run, json::Problems& problems) {
  if (json.object() == nullptr) {
    problems.add("metrics", "expected an object, got " + json::describe(json));
    return;
  }
  run.outcome = read_outcome(json, problems);
  for (const json::JsonMember& metric : *json.object()) {
    const json::JsonValue& value = metric.value;
    const auto refuse = [&](const char* expected) {
      problems.add(json::member_path("metrics", metric.key),
                   expected + (", got " + json::describe(value)));
    };
    if (metric.key == kOutcome) continue;
    if (metric.key == kTerminated) {
      if (const bool* truth = std::get_if<bool>(&value.data))
        run.terminated = *truth;
      else if (!value.is_null())
        refuse("expected true, false or null");
    } else if (metric.key == kFatalReason) {
      run.fatal_reason = read_text(json, kFatalReason, "metrics", problems);
    } else {
      run.metrics.push_back({metric.key, json::number_of(value)});
      if (!value.is_null() && !json::number_of(value)) refuse("expected a number or null");
    }
  }
}

void read_violations(const json::JsonValue& json, RunRecord& run, json::Problems& problems) {
  if (json.list() == nullptr) {
    problems.add("violations", "expected a list, got " + json::describe(json));
    return;
  }
  for (std::size_t i = 0; i < json.list()->size(); ++i) {
    const json::JsonValue& entry = (*json.list())[i];
    const std::string path = json::item_path("violations", i);
    run.violations.push_back({.kind = read_text(entry, "kind", path, problems),
                              .time_s = read_number(entry, "time_s", path, problems),
                              .actor = read_actor(entry, path, problems),
                              .detail = read_text(entry, "detail", path, problems)});
  }
}

namespace {

void read_derived(const json::JsonValue& json, RunRecord& run, json::Problems& problems) {
  if (json.object() == nullptr) {
    problems.add("derived", "expected an object, got " + json::describe(json));
    return;
  }
  for (const json::JsonMember& metric : *json.object()) {
    std::optional<double> value = json::number_of(metric.value);
    if (const bool* truth = std::get_if<bool>(&metric.value.data)) value = *truth ? 1.0 : 0.0;
    run.derived.push_back({metric.key, value});
    if (!value && !metric.value.is_null())
      problems.add(json::member_path("derived", metric.key),
                   "expected a number, true, false or null, got " + json::describe(metric.value));
  }
}

ReplicationRecord read_replication(const json::JsonValue& json, json::Problems& problems) {
  static const json::JsonValue kNothing;
  ReplicationRecord record;
  if (json.find("error") != nullptr) {
    record.error = read_text(json, "error", "", problems);
    record.out_of_memory =
        json.find("outcome") != nullptr && read_text(json, "outcome", "", problems) == kOutOfMemory;
    return record;
  }
  const auto part = [&](const char* key) -> const json::JsonValue& {
    const json::JsonValue* value = member(json, key, "", problems);
    return value == nullptr ? kNothing : *value;
  };
  RunRecord& run = record.run.emplace();
  record.point = static_cast<std::size_t>(read_count(json, "point", "", problems));
  run.replication = read_count(json, "replication", "", problems);
  record.replication = static_cast<std::uint64_t>(run.replication);
  read_metrics(part("metrics"), run, problems);
  if (const json::JsonValue* derived = json.find("derived")) read_derived(*derived, run, problems);
  read_violations(part("violations"), run, problems);
  const json::JsonValue& performance = part("performance");
  run.events = read_count(performance, "events", "performance", problems);
  run.wall_s = read_number(performance, "wall_s", "performance", problems);
  run.peak_rss_bytes = read_count(performance, "peak_rss_bytes", "performance", problems);
  return record;
}

}  // namespace

std::int64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

RunRecord run_record(std::uint64_t replication, const engine::RunResult& result,
                     const scenario::RunSpec& spec) {
  RunRecord run;
  run.replication = static_cast<std::int64_t>(replication);
  run.outcome = result.outcome;
  run.terminated = result.terminated;
  run.fatal_reason = result.fatal_reason;
  for (const auto& [name, value] : result.metrics.values())
    // JSON has no infinities and NaN. In memory a run must have the same values as in its JSON.
    run.metrics.push_back({name, value && std::isfinite(*value) ? value : std::nullopt});
  add_stratum(run, spec);
  run.derived = derived_metrics(run, frame_of(spec));
  run.violations = result.violations;
  run.events = static_cast<std::int64_t>(result.events);
  run.wall_s = result.wall_s;
  run.peak_rss_bytes = peak_rss_bytes();
  return run;
}

std::string replication_line(const scenario::Scenario& scenario, const ReplicationRecord& record) {
  if (!record.run) {
    json::JsonValue failed = json::json_object({{"error", record.error}});
    if (record.out_of_memory) failed.set("outcome", kOutOfMemory);
    return json::to_json(failed);
  }
  const RunRecord& run = *record.run;
  const double events_per_s = run.wall_s > 0 ? static_cast<double>(run.events) / run.wall_s : 0.0;
  json::JsonValue line =
      json::json_object({{"point", static_cast<std::int64_t>(record.point)},
                         {"label", scenario.point_labels.at(record.point)},
                         {"seed", static_cast<std::int64_t>(scenario.seed)},
                         {"replication", static_cast<std::int64_t>(record.replication)},
                         {"engine", scenario::word_of(scenario.engine)},
                         {"metrics", metrics_json(run)}});
  if (!run.derived.empty()) line.set("derived", derived_json(run.derived));
  line.set("violations", violations_json(run.violations));
  line.set("performance", json::json_object({{"events", run.events},
                                             {"wall_s", run.wall_s},
                                             {"events_per_s", events_per_s},
                                             {"peak_rss_bytes", run.peak_rss_bytes}}));
  return json::to_json(line);
}

ReplicationRecord read_replication_line(const std::string& line) {
  json::Problems problems("worker");
  ReplicationRecord record = read_replication(json::parse_json(line, problems), problems);
  problems.throw_if_any();
  return record;
}

}  // namespace faultline::runs
