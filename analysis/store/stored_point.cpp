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

bool gives_way(const StoredPoint& stored, const StoredPoint& point) {
  if (!stored.failure.empty() || !point.failure.empty())
    return !stored.failure.empty() && point.failure.empty();
  if (stored.runs.size() != point.runs.size()) return stored.runs.size() < point.runs.size();
  return asked_replications(stored) < asked_replications(point);
}

std::string difference(const StoredPoint& a, const StoredPoint& b) {
  for (std::size_t i = 0; i < std::min(a.runs.size(), b.runs.size()); ++i)
    if (comparable(a.runs[i]) != comparable(b.runs[i]))
      return "replication " + std::to_string(a.runs[i].replication) + " has other results";
  return {};
}

}  // namespace faultline::store
