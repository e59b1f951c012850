// SPDX-License-Identifier: Apache-2.0

// What stands below the tables of a store.

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/runs/cut_off.hpp"
#include "analysis/runs/fatal_reasons.hpp"
#include "analysis/store/query.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/faults/fault_source.hpp"

namespace faultline::store {

namespace {

/// True if its scenario draws faults, or reads them from a trace. Several sources of one kind are
/// "poisson[0]", "poisson[1]", ...
bool has_fault_sources(const SelectedPoint& point) {
  const json::JsonValue* faults = point.values.find("faults");
  if (faults == nullptr || faults->object() == nullptr) return false;
  return std::any_of(
      faults->object()->begin(), faults->object()->end(), [](const json::JsonMember& member) {
        return !member.value.is_null() &&
               faults::find_fault_source(member.key.substr(0, member.key.find('['))) != nullptr;
      });
}

}  // namespace

std::size_t spared_runs(const PointGroup& group) {
  std::size_t runs = 0;
  for (const SelectedPoint* point : group.points) {
    if (!has_fault_sources(*point)) continue;
    for (const runs::RunRecord& run : point->stored.runs) {
      const auto struck = run.number("faults_struck");
      if (struck.value_or(0.0) > 0.0) return 0;
      runs += struck ? 1 : 0;
    }
  }
  return runs;
}

std::string spared_groups(const std::vector<PointGroup>& groups,
                          const std::vector<std::string>& paths) {
  constexpr std::size_t kMostShown = 10;
  std::string text;
  std::size_t spared = 0;
  for (const PointGroup& group : groups) {
    const std::size_t runs = spared_runs(group);
    if (runs == 0 || ++spared > kMostShown) continue;
    std::string words;
    for (const std::string& path : paths)
      words += (words.empty() ? "" : "; ") + path + "=" + words_at(*group.points.front(), path);
    text += text::wrapped((words.empty() ? "" : words + ": ") + runs::no_fault_struck(runs));
  }
  if (spared > kMostShown)
    text += "and so in " + std::to_string(spared - kMostShown) + " more lines\n";
  return text;
}

runs::RunCount run_count(const std::vector<SelectedPoint>& points) {
  runs::RunCount count;
  for (const SelectedPoint& point : points)
    for (const runs::RunRecord& run : point.stored.runs) count.add(run.outcome);
  return count;
}

std::string missing_note(const std::vector<SelectedPoint>& points) {
  std::size_t points_missing = 0;
  std::size_t missing = 0;
  for (const SelectedPoint& point : points) {
    points_missing += point.missing_runs > 0 ? 1 : 0;
    missing += point.missing_runs;
  }
  if (missing == 0) return {};
  return std::to_string(missing) + (missing == 1 ? " replication of " : " replications of ") +
         std::to_string(points_missing) + (points_missing == 1 ? " point" : " points") +
         (missing == 1 ? " is" : " are") +
         " missing: no sweep has finished them, or another shard has them";
}

std::string fatal_reasons(const std::vector<SelectedPoint>& points) {
  runs::FatalReasons reasons;
  for (const SelectedPoint& point : points)
    for (const runs::RunRecord& run : point.stored.runs) reasons.add(run);
  return reasons.text();
}

std::string fatal_reasons(const PointGroup& group) {
  runs::FatalReasons reasons;
  for (const SelectedPoint* point : group.points)
    for (const runs::RunRecord& run : point->stored.runs) reasons.add(run);
  return reasons.text();
}

}  // namespace faultline::store
