// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::store {

/// A study in a store: the points of a scenario's sweep, simulated by one release of the programs.
struct StoredStudy {
  std::int64_t id = 0;  ///< counted from 1 within the store
  std::string name;
  std::string hash;
  std::int64_t points = 0;  ///< points of its last sweep, and those kept from earlier ones
  std::string faultline;    ///< version; several builds of a release have commas between
  std::string simgrid;      ///< version; "" if it was not built in
};

/// True if two studies are the same work, whatever store holds them and whichever builds of a
/// release made them.
bool same_study(const StoredStudy& a, const StoredStudy& b);

/// The versions of both lists, each once, in order of first occurrence.
std::string joined_versions(const std::string& first, const std::string& second);

/// The most replications that a scenario can ask for.
inline constexpr std::int64_t kMostReplications = 1000000;

/// A point that was simulated, wholly or in part, or that failed.
struct StoredPoint {
  std::int64_t study = 0;
  std::int64_t point = 0;
  std::string hash;           ///< point_hash(); in older stores it depends on replications
  std::string scenario_hash;  ///< as in the results of `run`
  std::string engine;
  std::int64_t seed = 0;
  std::string label;
  json::JsonValue::Object parameters;  ///< swept values by their paths
  json::JsonValue scenario;            ///< resolved: with all defaults, and the machine's values
  std::string failure;                 ///< why it failed; "" if it did not
  std::string log;                     ///< what a failed point printed
  /// By their numbers. Some are missing while a sweep is at work, after it was stopped, and in the
  /// store of a shard. Those of a failed point are kept, but do not count.
  std::vector<runs::RunRecord> runs;
  std::int64_t wanted = 0;              ///< it is to have the replications before this one
  std::int64_t failed_replication = 0;  ///< the first replication that failed, if any did
};

/// The hash that identifies a stored point: point_hash() of its scenario, engine and seed.
std::string hash_of(const StoredPoint& point);

/// The number of replications that its scenario asks for; 0 if it states none.
std::int64_t asked_replications(const StoredPoint& point);

/// The number of replications that the point is to have: `wanted`, or, without that, up to its last
/// one.
std::int64_t wanted_runs(const StoredPoint& point);

/// True if the point has all replications that it is to have.
bool is_whole(const StoredPoint& point);

/// How many replications are missing up to the last one that it has or is to have.
std::size_t missing_runs(const StoredPoint& point);

/// Adds what a part of the same point knows beside its runs: the larger number of replications that
/// it is to have, and the first failure. A failure is void if that replication is there, of which
/// `has_run` tells. Returns true if the point has changed.
bool join(StoredPoint& point, const StoredPoint& part,
          const std::function<bool(std::int64_t)>& has_run);

/// How two results of one point differ where the scenario determines them, over the replications
/// that both have; "" if they do not.
std::string difference(const StoredPoint& a, const StoredPoint& b);

}  // namespace faultline::store
