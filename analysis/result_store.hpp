#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sqlite.hpp"
#include "sim/core/file_roles.hpp"
#include "sim/scenario/json_value.hpp"

namespace faultline {

/// A study in a store: a scenario with its sweep, under one version of the programs.
struct StoredStudy {
  std::int64_t id = 0;  ///< within the store, from 1
  std::string name;
  std::string hash;
  std::int64_t points = 0;  ///< planned
  std::string faultline;    ///< version
  std::string simgrid;      ///< version, "" where it was not built in
};

/// Are two studies the same work, wherever they are stored?
bool same_study(const StoredStudy& a, const StoredStudy& b);

/// One replication of a point.
struct StoredRun {
  std::int64_t replication = 0;
  JsonValue metrics;
  JsonValue violations;
  std::int64_t events = 0;
  double wall_s = 0;
  std::int64_t peak_rss_bytes = 0;
};

/// A point that was simulated, or that failed.
struct StoredPoint {
  std::int64_t study = 0;
  std::int64_t point = 0;
  std::string hash;           ///< of all that determines its results
  std::string scenario_hash;  ///< as in the results of `run`
  std::string engine;
  std::int64_t seed = 0;
  std::string label;
  JsonValue parameters;  ///< swept values by their paths
  JsonValue scenario;    ///< resolved: defaults filled in, the machine by its values
  std::string failure;   ///< why it failed, "" if it did not
  std::string log;       ///< what a failed point printed
  std::vector<StoredRun> runs;
};

/// How runs of a point ended.
struct RunEnding {
  std::int64_t point = 0;
  std::string outcome;
  bool violated = false;
};

/// Results of sweeps in one SQLite file. A point is stored whole, in one transaction, or not at
/// all; processes that share a store do not disturb each other (docs/sweeps.md).
class ResultStore {
 public:
  /// Opens a store for reading and writing; `create` makes one where there is no file. Throws
  /// UsageError for a file that is damaged or something else.
  ResultStore(const std::string& path, bool create);
  ~ResultStore();
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  std::vector<StoredStudy> studies();

  /// Stores a study unless the same one is there; returns its id.
  std::int64_t add_study(const StoredStudy& study);

  /// Why a point failed, "" if it did not; nothing if it is not stored.
  std::optional<std::string> failure_of(std::int64_t study, std::int64_t point);

  /// How the runs of a study ended, each way once for each point.
  std::vector<RunEnding> endings(std::int64_t study);

  /// Points in order, with their runs.
  std::vector<StoredPoint> points(std::int64_t study);
  std::optional<StoredPoint> point(std::int64_t study, std::int64_t point);

  /// Stores a point. A result takes the place of a failure; a point that has its result stays.
  void save(const StoredPoint& point);

  /// Reserves a point among the processes that share the store, until it is released or this
  /// process ends. False if another one has it.
  bool claim(std::int64_t study, std::int64_t point);
  void release(std::int64_t study, std::int64_t point);
  /// In a child process: leaves the claims to the parent.
  void forget_claims();

  [[nodiscard]] const std::string& path() const { return database_.path(); }

 private:
  void make_tables();
  void check_format();
  std::vector<StoredPoint> read_points(const std::string& where);
  bool lock(std::int64_t study, std::int64_t point, short kind) const;

  std::unique_ptr<OutputPlace> output_;  ///< of one that is written
  Database database_;
  int claims_ = -1;
};

/// What keeps two stored points from being equal: "" if all that the scenario determines is.
std::string difference(const StoredPoint& a, const StoredPoint& b);

}  // namespace faultline
