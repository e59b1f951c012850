#include "analysis/run_record.hpp"

#include <sys/resource.h>

#include "sim/engine/engine.hpp"

namespace faultline {

namespace {

JsonValue metrics_json(const RunResult& result) {
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

}  // namespace

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
       {"engine", scenario.engine == EngineKind::simgrid ? "simgrid" : "loggp"},
       {"metrics", metrics_json(result)},
       {"violations", violations_json(result.violations)},
       {"performance",
        json_object({{"events", events},
                     {"wall_s", wall_s},
                     {"events_per_s", wall_s > 0 ? static_cast<double>(events) / wall_s : 0.0},
                     {"peak_rss_bytes", peak_rss_bytes()}})}});
}

}  // namespace faultline
