#include "analysis/runs/run_record.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "sim/engine/engine.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline {

namespace {

JsonValue metrics_of(const RunResult& result) {
  JsonValue metrics = json_object({{"outcome", outcome_word(result.outcome)}});
  metrics.set("terminated", result.terminated ? JsonValue(*result.terminated) : JsonValue());
  if (!result.fatal_reason.empty()) metrics.set("fatal_reason", result.fatal_reason);
  for (const auto& [name, value] : result.metrics.values()) {
    // A time stays a double even where it happens to be whole.
    const bool is_time = name.ends_with("_s");
    metrics.set(name, !value ? JsonValue() : is_time ? JsonValue(*value) : json_number(*value));
  }
  return metrics;
}

bool is_of(MetricKind kind, const JsonValue& value) {
  if (kind == MetricKind::text) return value.text() != nullptr;
  if (value.is_null()) return true;
  return kind == MetricKind::truth ? std::holds_alternative<bool>(value.data)
                                   : number_of(value).has_value();
}

std::string expectation(MetricKind kind) {
  return kind == MetricKind::text    ? "expected a text"
         : kind == MetricKind::truth ? "expected true, false or null"
                                     : "expected a number or null";
}

/// The member of an object, or a problem and null.
const JsonValue* member(const JsonValue& json, const std::string& key, const std::string& path,
                        Problems& problems) {
  const JsonValue* value = json.find(key);
  if (value == nullptr) problems.add(member_path(path, key), "missing");
  return value;
}

std::string read_text(const JsonValue& json, const std::string& key, const std::string& path,
                      Problems& problems) {
  const JsonValue* value = member(json, key, path, problems);
  if (value == nullptr) return {};
  if (value->text() != nullptr) return *value->text();
  problems.add(member_path(path, key), "expected a text, got " + describe(*value));
  return {};
}

double read_number(const JsonValue& json, const std::string& key, const std::string& path,
                   Problems& problems) {
  const JsonValue* value = member(json, key, path, problems);
  if (value == nullptr) return 0;
  if (const auto number = number_of(*value)) return *number;
  problems.add(member_path(path, key), "expected a number, got " + describe(*value));
  return 0;
}

std::int64_t read_count(const JsonValue& json, const std::string& key, const std::string& path,
                        Problems& problems) {
  const JsonValue* value = member(json, key, path, problems);
  if (value == nullptr) return 0;
  const auto* count = std::get_if<std::int64_t>(&value->data);
  if (count != nullptr && *count >= 0) return *count;
  problems.add(member_path(path, key), "expected a count, got " + describe(*value));
  return 0;
}

std::optional<ActorId> read_actor(const JsonValue& json, const std::string& path,
                                  Problems& problems) {
  const JsonValue* value = member(json, "actor", path, problems);
  if (value == nullptr || value->is_null()) return std::nullopt;
  const std::int64_t actor = read_count(json, "actor", path, problems);
  if (actor <= std::int64_t{std::numeric_limits<ActorId>::max()})
    return static_cast<ActorId>(actor);
  problems.add(member_path(path, "actor"), "is not the number of an actor");
  return std::nullopt;
}

}  // namespace

MetricKind metric_kind(const std::string& name) {
  if (name == "terminated") return MetricKind::truth;
  if (name == "outcome" || name == "fatal_reason") return MetricKind::text;
  return MetricKind::number;
}

const JsonValue* RunRecord::find(const std::string& name) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const JsonMember& metric) { return metric.key == name; });
  return found == metrics.end() ? nullptr : &found->value;
}

std::optional<double> RunRecord::number(const std::string& name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (const bool* truth = std::get_if<bool>(&value->data)) return *truth ? 1.0 : 0.0;
  return number_of(*value);
}

JsonValue metrics_json(const RunRecord& run) {
  JsonValue::Object metrics = {{"outcome", run.outcome}};
  metrics.insert(metrics.end(), run.metrics.begin(), run.metrics.end());
  return metrics;
}

JsonValue violations_json(const std::vector<Violation>& violations) {
  JsonValue::List list;
  for (const Violation& violation : violations)
    list.push_back(json_object(
        {{"kind", violation.kind},
         {"time_s", violation.time_s},
         {"actor", violation.actor ? JsonValue(std::int64_t{*violation.actor}) : JsonValue()},
         {"detail", violation.detail}}));
  return list;
}

void read_metrics(const JsonValue& json, RunRecord& run, Problems& problems) {
  if (json.object() == nullptr) {
    problems.add("metrics", "expected an object, got " + describe(json));
    return;
  }
  run.outcome = read_text(json, "outcome", "metrics", problems);
  const std::vector<std::string> known = outcome_words();
  if (problems.empty() && std::find(known.begin(), known.end(), run.outcome) == known.end())
    problems.add("metrics.outcome",
                 "unknown outcome " + in_quotes(run.outcome) + suggestion(run.outcome, known));
  for (const JsonMember& metric : *json.object()) {
    if (metric.key == "outcome") continue;
    const MetricKind kind = metric_kind(metric.key);
    if (!is_of(kind, metric.value))
      problems.add(member_path("metrics", metric.key),
                   expectation(kind) + ", got " + describe(metric.value));
    run.metrics.push_back(metric);
  }
}

void read_violations(const JsonValue& json, RunRecord& run, Problems& problems) {
  if (json.list() == nullptr) {
    problems.add("violations", "expected a list, got " + describe(json));
    return;
  }
  for (std::size_t i = 0; i < json.list()->size(); ++i) {
    const JsonValue& entry = (*json.list())[i];
    const std::string path = item_path("violations", i);
    run.violations.push_back({.kind = read_text(entry, "kind", path, problems),
                              .time_s = read_number(entry, "time_s", path, problems),
                              .actor = read_actor(entry, path, problems),
                              .detail = read_text(entry, "detail", path, problems)});
  }
}

std::int64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

JsonValue run_record(const Scenario& scenario, std::size_t point, std::uint64_t replication,
                     const RunResult& result) {
  const double wall_s = result.wall_s;
  const auto events = static_cast<std::int64_t>(result.events);
  return json_object(
      {{"point", static_cast<std::int64_t>(point)},
       {"label", scenario.point_labels.at(point)},
       {"seed", static_cast<std::int64_t>(scenario.seed)},
       {"replication", static_cast<std::int64_t>(replication)},
       {"engine", word_of(scenario.engine)},
       {"metrics", metrics_of(result)},
       {"violations", violations_json(result.violations)},
       {"performance",
        json_object({{"events", events},
                     {"wall_s", wall_s},
                     {"events_per_s", wall_s > 0 ? static_cast<double>(events) / wall_s : 0.0},
                     {"peak_rss_bytes", peak_rss_bytes()}})}});
}

RunRecord read_run_record(const JsonValue& json, Problems& problems) {
  static const JsonValue kNothing;
  const auto part = [&](const char* key) -> const JsonValue& {
    const JsonValue* value = member(json, key, "", problems);
    return value == nullptr ? kNothing : *value;
  };
  RunRecord run;
  run.replication = read_count(json, "replication", "", problems);
  read_metrics(part("metrics"), run, problems);
  read_violations(part("violations"), run, problems);
  const JsonValue& performance = part("performance");
  run.events = read_count(performance, "events", "performance", problems);
  run.wall_s = read_number(performance, "wall_s", "performance", problems);
  run.peak_rss_bytes = read_count(performance, "peak_rss_bytes", "performance", problems);
  return run;
}

}  // namespace faultline
