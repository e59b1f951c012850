// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/stored_point.hpp"

#include <algorithm>
#include <string_view>
#include <variant>

#include "sim/core/version.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::store {

namespace {

constexpr std::string_view kBetweenVersions = ", ";

std::vector<std::string> versions_in(const std::string& list) {
  std::vector<std::string> versions;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(kBetweenVersions, begin), list.size());
    versions.push_back(list.substr(begin, end - begin));
    begin = end + kBetweenVersions.size();
  }
  return versions;
}

std::int64_t end_of_runs(const StoredPoint& point) {
  return point.runs.empty() ? 0 : point.runs.back().replication + 1;
}

std::string comparable(const runs::RunRecord& run) {
  return std::to_string(run.replication) + json::to_json(runs::metrics_json(run)) +
         json::to_json(runs::violations_json(run.violations)) + std::to_string(run.events);
}

}  // namespace

std::string joined_versions(const std::string& first, const std::string& second) {
  std::string all = first;
  const std::vector<std::string> known = versions_in(first);
  for (const std::string& version : versions_in(second))
    if (std::find(known.begin(), known.end(), version) == known.end())
      all.append(all.empty() ? "" : kBetweenVersions).append(version);
  return all;
}

std::string hash_of(const StoredPoint& point) {
  return scenario::point_hash(point.scenario_hash, point.engine,
                              static_cast<std::uint64_t>(point.seed));
}

std::int64_t asked_replications(const StoredPoint& point) {
  const json::JsonValue* value = point.scenario.find("replications");
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
  return number == nullptr ? 0 : *number;
}

bool same_study(const StoredStudy& a, const StoredStudy& b) {
  return a.hash == b.hash && release_of(a.faultline) == release_of(b.faultline) &&
         a.simgrid == b.simgrid;
}

std::int64_t wanted_runs(const StoredPoint& point) {
  return point.wanted > 0 ? point.wanted : end_of_runs(point);
}

bool is_whole(const StoredPoint& point) {
  const auto wanted =
      std::count_if(point.runs.begin(), point.runs.end(),
                    [&](const runs::RunRecord& run) { return run.replication < point.wanted; });
  return point.failure.empty() && wanted > 0 && wanted == point.wanted;
}

std::size_t missing_runs(const StoredPoint& point) {
  return static_cast<std::size_t>(std::max(end_of_runs(point), point.wanted)) - point.runs.size();
}

bool join(StoredPoint& point, const StoredPoint& part,
          const std::function<bool(std::int64_t)>& has_run) {
  const auto failed = [&](const StoredPoint& of) {
    return !of.failure.empty() && !has_run(of.failed_replication);
  };
  const std::int64_t wanted = wanted_runs(part);
  bool is_changed = wanted > point.wanted;
  point.wanted = std::max(point.wanted, wanted);
  if (asked_replications(part) > asked_replications(point)) {
    point.scenario.set("replications", asked_replications(part));
    is_changed = true;
  }
  const bool is_first =
      failed(part) && (!failed(point) || part.failed_replication < point.failed_replication);
  if (!is_first && (point.failure.empty() || failed(point))) return is_changed;
  point.failure = is_first ? part.failure : "";
  point.log = is_first ? part.log : "";
  point.failed_replication = is_first ? part.failed_replication : 0;
  return true;
}

std::string difference(const StoredPoint& a, const StoredPoint& b) {
  auto other = b.runs.begin();
  for (const runs::RunRecord& run : a.runs) {
    while (other != b.runs.end() && other->replication < run.replication) ++other;
    if (other == b.runs.end()) break;
    if (other->replication == run.replication && comparable(run) != comparable(*other))
      return "replication " + std::to_string(run.replication) + " has other results";
  }
  return {};
}

}  // namespace faultline::store
