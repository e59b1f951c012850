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

/// A study in a store: the points of a scenario's sweep, under one release of the programs.
struct StoredStudy {
  std::int64_t id = 0;  ///< within the store, from 1
  std::string name;
  std::string hash;
  std::int64_t points = 0;  ///< those of its last sweep, and those that are kept beside them
  std::string faultline;    ///< version; of several builds of a release, with commas between
  std::string simgrid;      ///< version, "" where it was not built in
};

/// Are two studies the same work, wherever they are stored, by whichever builds of a release?
bool same_study(const StoredStudy& a, const StoredStudy& b);

/// A point that was simulated, or that failed.
struct StoredPoint {
  std::int64_t study = 0;
  std::int64_t point = 0;
  std::string hash;           ///< as point_hash() has it; older programs have counted replications
  std::string scenario_hash;  ///< as in the results of `run`
  std::string engine;
  std::int64_t seed = 0;
  std::string label;
  JsonValue::Object parameters;  ///< swept values by their paths
  JsonValue scenario;   ///< an object, resolved: defaults filled in, the machine by its values
  std::string failure;  ///< why it failed, "" if it did not
  std::string log;      ///< what a failed point printed
  std::vector<RunRecord> runs;  ///< replications from 0 on; none if it failed
};

/// What tells a stored point from all others: point_hash() of its scenario, engine and seed.
std::string hash_of(const StoredPoint& point);

/// The number of replications that its scenario says, 0 where it says none.
std::int64_t asked_replications(const StoredPoint& point);

/// How runs of a point ended.
struct RunEnding {
  std::int64_t point = 0;
  Outcome outcome = Outcome::limit;
  bool violated = false;
};

/// Throws UsageError for what cannot be the name of a store: nothing, and what SQLite takes for
/// something else than a file.
void check_store_name(const std::string& path);

/// What a store is opened for.
enum class StoreUse {
  read,   ///< whole and unchanged; what is read is checked then
  sweep,  ///< made where there is no file; every row of one that is there is checked at once
};

/// Whether a process relies on the numbers of the points, or gives them other ones.
enum class NumbersUse { none, kept, changed };

/// Results of sweeps in one SQLite file. A point is stored whole, in one transaction, or not at
/// all; processes that share a store do not disturb each other (docs/sweeps.md). A file may come
/// from anybody: what is wrong with it is thrown as UsageError, with its table and row.
class ResultStore {
 public:
  ResultStore(const std::string& path, StoreUse use);
  ~ResultStore();
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  std::vector<StoredStudy> studies();

  /// Stores a study unless the same one is there, which then names the builds of both; returns its
  /// id.
  std::int64_t add_study(const StoredStudy& study);

  /// Why a point failed, "" if it did not; nothing if it is not stored.
  std::optional<std::string> failure_of(std::int64_t study, std::int64_t point);

  /// How the runs of a study ended, each way once for each point.
  std::vector<RunEnding> endings(std::int64_t study);

  /// Points in order, with their runs.
  std::vector<StoredPoint> points(std::int64_t study);
  void each_point(std::int64_t study, const std::function<void(StoredPoint&)>& take);
  std::optional<StoredPoint> point(std::int64_t study, std::int64_t point);

  /// Stores a point. A result takes the place of a failure, and of a result of fewer replications;
  /// else what is stored stays.
  void save(const StoredPoint& point);

  /// Lets a study that is stored be the given one, in one transaction. `change` sees each of its
  /// points; what it changes, the number too, is stored anew where it returns true. The study has
  /// as many points as it says, or more where a number is higher.
  void rewrite(StoredStudy study, const std::function<bool(StoredPoint&)>& change);

  /// Announces a use to the processes that share the store, until it is replaced by another one or
  /// this process ends. False if another process has a use that excludes it: numbers can change
  /// only where nobody else relies on them.
  bool use_numbers(NumbersUse use);

  /// Reserves a point among the processes that share the store, until it is released or this
  /// process ends. False if another one has it.
  bool claim(std::int64_t study, std::int64_t point);
  void release(std::int64_t study, std::int64_t point);
  /// In a child process: leaves the claims to the parent.
  void forget_claims();

  [[nodiscard]] const std::string& path() const { return database_.path(); }

  /// What a user should know of it, "" for nothing.
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
  /// Within a transaction.
  void read_points(const std::string& where, const std::function<void(StoredPoint&)>& take);
  std::optional<StoredPoint> find_point(std::int64_t study, std::int64_t point);
  void remove(std::int64_t study, std::int64_t point);
  void write(const StoredPoint& point);
  void write(const StoredStudy& study);
  bool lock(std::int64_t study, std::int64_t point, short kind) const;

  std::unique_ptr<OutputPlace> output_;  ///< of one that is written
  Database database_;
  std::int64_t format_ = 0;
  int claims_ = -1;
};

/// What keeps two results of one point from being equal, as far as both of them go: "" if all that
/// the scenario determines is.
std::string difference(const StoredPoint& a, const StoredPoint& b);

}  // namespace faultline
