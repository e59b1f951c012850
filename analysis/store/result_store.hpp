// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "analysis/store/point_rows.hpp"
#include "analysis/store/sqlite.hpp"
#include "analysis/store/store_file.hpp"
#include "analysis/store/store_row.hpp"
#include "analysis/store/stored_point.hpp"
#include "sim/core/file_roles.hpp"

namespace faultline::store {

/// How a number of runs of one point ended.
struct RunEnding {
  std::int64_t point = 0;
  engine::Outcome outcome = engine::Outcome::limit;
  bool violated = false;
  std::size_t runs = 0;  ///< runs that have ended like this
};

/// How a process uses the numbers of a study's points: it does not depend on them, relies on them
/// to stay (`kept`), or changes them.
enum class NumbersUse { none, kept, changed };

/// Replications of a point, from `first` up to `end`.
struct PointRange {
  std::int64_t study = 0;
  std::int64_t point = 0;
  std::int64_t first = 0;
  std::int64_t end = kMostReplications;
};

/// Results of sweeps in one SQLite file. Replications are stored in transactions, each completely
/// or not at all, and in any order. Processes that share a store do not disturb each other
/// (docs/sweeps.md). A file may come from anybody: any error in it is thrown as UsageError, with
/// table and row.
class ResultStore {
 public:
  ResultStore(const std::string& path, StoreUse use);
  ~ResultStore();
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  std::vector<StoredStudy> studies();

  /// Stores a study. If the store already has it, that one gets the builds of both. Returns the id.
  std::int64_t add_study(const StoredStudy& study);

  /// The reason why a point failed; "" if it did not, nothing if it is not stored.
  std::optional<std::string> failure_of(std::int64_t study, std::int64_t point);

  /// How the runs of a study ended, but not those of failed points. Each point has one entry for
  /// each way in which its runs ended.
  std::vector<RunEnding> endings(std::int64_t study);

  /// Points in order, with their runs.
  std::vector<StoredPoint> points(std::int64_t study);
  void each_point(std::int64_t study, const std::function<void(StoredPoint&)>& take,
                  PointPart part = PointPart::all);
  std::optional<StoredPoint> point(std::int64_t study, std::int64_t point);
  /// With these runs alone. Nothing if the point is not stored.
  std::optional<StoredPoint> part(const PointRange& range);

  /// Stores points, or parts of them, in one transaction. What is stored of a point stays: it gets
  /// the runs that it lacks, and what else they know (`join`).
  void save(const std::vector<StoredPoint>& parts);
  void save(const StoredPoint& part);

  /// Replaces a stored study by `study`, which has its id, in one transaction. `change` is called
  /// with each of its points, and returns true if it changed the point; that one is then stored
  /// anew. Its number may change, too. The study gets `study.points` points, or more if a point has
  /// a higher number.
  void rewrite(StoredStudy study, const std::function<bool(StoredPoint&)>& change);

  /// Announces a use to all processes that share the store. It holds until the next call, or until
  /// this process ends. Returns false if the use of another process excludes it: numbers can change
  /// only while no other process relies on them.
  bool use_numbers(NumbersUse use);

  /// Reserves replications, so that no other process that shares the store can, until they are
  /// released or this process ends. Returns false if another process has one of them.
  bool claim(const PointRange& range);
  void release(const PointRange& range);
  /// For a child process: leaves the claims to the parent.
  void forget_claims();

  [[nodiscard]] const std::string& path() const { return database_.path(); }

  /// Writes the whole database, as of one moment, to a file that is missing or empty.
  void copy_to(const std::string& path);

  /// What a user should know about the store; "" for nothing.
  [[nodiscard]] std::string note() const;

 private:
  void make_tables();
  void check_format(StoreUse use);
  void check_tables();
  void check_pages();
  [[nodiscard]] RowFormat row_format() const { return {path(), format_}; }
  [[nodiscard]] std::string select(const StoreTable& table) const;
  [[noreturn]] void refuse(const std::string& why) const;
  [[nodiscard]] RowReader run_reader(const Statement& rows) const;
  StoredStudy read_study(const Statement& row) const;
  void add_builds(StoredStudy known, const std::string& versions);
  /// Call within a transaction.
  void read_points(const std::string& where, const std::function<void(StoredPoint&)>& take,
                   PointPart part = PointPart::all);
  std::optional<StoredPoint> find_row(const PointRange& range, std::int64_t& runs_checksum);
  std::vector<runs::RunRecord> find_runs(const PointRange& range);
  std::vector<std::int64_t> numbers_of_runs(const PointRange& range);
  void save_part(const StoredPoint& part);
  void remove(std::int64_t study, std::int64_t point);
  void write(const StoredPoint& point);
  void write(const StoredPoint& point, std::int64_t runs_checksum);
  std::int64_t write(const StoredPoint& point, const runs::RunRecord& run);
  void write(const StoredStudy& study);
  bool lock(const PointRange& range, short kind) const;

  std::unique_ptr<OutputPlace> output_;  ///< only of a store that is or may be written
  Database database_;
  std::int64_t format_ = 0;
  int claims_ = -1;
};

}  // namespace faultline::store
