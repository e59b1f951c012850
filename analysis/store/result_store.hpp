#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "analysis/store/sqlite.hpp"
#include "analysis/store/store_row.hpp"
#include "sim/core/file_roles.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

/// A study in a store: the points of a scenario's sweep, simulated by one release of the programs.
struct StoredStudy {
  std::int64_t id = 0;  ///< counted from 1 within the store
  std::string name;
  std::string hash;
  std::int64_t points = 0;  ///< of its last sweep, and those kept from earlier ones
  std::string faultline;    ///< version; several builds of a release have commas between
  std::string simgrid;      ///< version; "" if it was not built in
};

/// Are two studies the same work, whatever store holds them and whichever builds of a release made
/// them?
bool same_study(const StoredStudy& a, const StoredStudy& b);

/// A point that was simulated, or that failed.
struct StoredPoint {
  std::int64_t study = 0;
  std::int64_t point = 0;
  std::string hash;           ///< point_hash(); in older stores it depends on replications
  std::string scenario_hash;  ///< as in the results of `run`
  std::string engine;
  std::int64_t seed = 0;
  std::string label;
  JsonValue::Object parameters;  ///< swept values by their paths
  JsonValue scenario;            ///< resolved: with all defaults, and the machine's values
  std::string failure;           ///< why it failed; "" if it did not
  std::string log;               ///< what a failed point printed
  std::vector<RunRecord> runs;   ///< replications from 0 on; none if it failed
};

/// What identifies a stored point: point_hash() of its scenario, engine and seed.
std::string hash_of(const StoredPoint& point);

/// The number of replications that its scenario asks for; 0 if it states none.
std::int64_t asked_replications(const StoredPoint& point);

/// How a number of runs of one point ended.
struct RunEnding {
  std::int64_t point = 0;
  Outcome outcome = Outcome::limit;
  bool violated = false;
};

/// Throws UsageError for a path that cannot be a store: an empty one, or one that has a special
/// meaning to SQLite.
void check_store_name(const std::string& path);

/// What a store is opened for.
enum class StoreUse {
  read,   ///< only read; each row is checked when it is read
  plan,   ///< only read, for a sweep that may come: what it would refuse is refused
  sweep,  ///< created if missing; the checksums of all rows of an existing file are checked at once
};

/// What is read of points. In any case the checksums of their rows and of those of their runs are
/// compared.
enum class PointPart {
  checksums,   ///< nothing more: what stands in JSON is not read
  parameters,  ///< all but `scenario` and `runs`
  all,
};

/// How a process uses the numbers of a study's points: it does not depend on them, relies on them
/// to stay (`kept`), or changes them.
enum class NumbersUse { none, kept, changed };

/// Results of sweeps in one SQLite file. A point is stored completely, in one transaction, or not
/// at all. Processes that share a store do not disturb each other (docs/sweeps.md). A file may come
/// from anybody: any error in it is thrown as UsageError, with table and row.
class ResultStore {
 public:
  ResultStore(const std::string& path, StoreUse use);
  ~ResultStore();
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  std::vector<StoredStudy> studies();

  /// Stores a study. If the same one is there, that one gets the builds of both. Returns the id.
  std::int64_t add_study(const StoredStudy& study);

  /// Why a point failed; "" if it did not, nothing if it is not stored.
  std::optional<std::string> failure_of(std::int64_t study, std::int64_t point);

  /// How the runs of a study ended. Each point has one entry for each way in which its runs ended.
  std::vector<RunEnding> endings(std::int64_t study);

  /// Points in order, with their runs.
  std::vector<StoredPoint> points(std::int64_t study);
  void each_point(std::int64_t study, const std::function<void(StoredPoint&)>& take,
                  PointPart part = PointPart::all);
  std::optional<StoredPoint> point(std::int64_t study, std::int64_t point);

  /// Stores a point. If the point is there already, a result replaces a failure or a result with
  /// fewer replications; otherwise what is stored stays.
  void save(const StoredPoint& point);

  /// Replaces a stored study by `study`, which has its id, in one transaction. `change` is called
  /// with each of its points, and returns true if it changed the point; that one is then stored
  /// anew. Its number may change, too. The study gets `study.points` points, or more if a point has
  /// a higher number.
  void rewrite(StoredStudy study, const std::function<bool(StoredPoint&)>& change);

  /// Announces a use to all processes that share the store. It holds until the next call, or until
  /// this process ends. Returns false if the use of another process excludes it: numbers can change
  /// only while nobody else relies on them.
  bool use_numbers(NumbersUse use);

  /// Reserves a point, so that no other process that shares the store can, until it is released or
  /// this process ends. Returns false if another process has it.
  bool claim(std::int64_t study, std::int64_t point);
  void release(std::int64_t study, std::int64_t point);
  /// For a child process: leaves the claims to the parent.
  void forget_claims();

  [[nodiscard]] const std::string& path() const { return database_.path(); }

  /// What a user should know about the store; "" for nothing.
  [[nodiscard]] std::string note() const;

 private:
  void make_tables();
  void check_format(StoreUse use);
  void check_tables();
  void check_pages();
  [[nodiscard]] bool has_checksums() const;
  [[nodiscard]] std::string select(const StoreTable& table) const;
  [[noreturn]] void refuse(const std::string& why) const;
  StoredStudy read_study(const Statement& row) const;
  void add_builds(StoredStudy known, const std::string& versions);
  /// Call within a transaction.
  void read_points(const std::string& where, const std::function<void(StoredPoint&)>& take,
                   PointPart part = PointPart::all);
  std::optional<StoredPoint> find_point(std::int64_t study, std::int64_t point);
  void remove(std::int64_t study, std::int64_t point);
  void write(const StoredPoint& point);
  void write(const StoredStudy& study);
  bool lock(std::int64_t study, std::int64_t point, short kind) const;

  std::unique_ptr<OutputPlace> output_;  ///< only of a store that is or may be written
  Database database_;
  std::int64_t format_ = 0;
  int claims_ = -1;
};

/// How two results of one point differ in what the scenario determines, over the replications that
/// both have; "" if they do not.
std::string difference(const StoredPoint& a, const StoredPoint& b);

}  // namespace faultline
