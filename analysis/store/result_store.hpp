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

  /// Stores a study. If the store already has it, that one gets the builds of both. Returns the id.
  std::int64_t add_study(const StoredStudy& study);

  /// The reason why a point failed; "" if it did not, nothing if it is not stored.
  std::optional<std::string> failure_of(std::int64_t study, std::int64_t point);

  /// How the runs of a study ended. Each point has one entry for each way in which its runs ended.
  std::vector<RunEnding> endings(std::int64_t study);

  /// Points in order, with their runs.
  std::vector<StoredPoint> points(std::int64_t study);
  void each_point(std::int64_t study, const std::function<void(StoredPoint&)>& take,
                  PointPart part = PointPart::all);
  std::optional<StoredPoint> point(std::int64_t study, std::int64_t point);

  /// Stores a point. If the point is there already, a result replaces a failure or a result with
  /// fewer replications; otherwise the stored one stays.
  void save(const StoredPoint& point);

  /// Replaces a stored study by `study`, which has its id, in one transaction. `change` is called
  /// with each of its points, and returns true if it changed the point; that one is then stored
  /// anew. Its number may change, too. The study gets `study.points` points, or more if a point has
  /// a higher number.
  void rewrite(StoredStudy study, const std::function<bool(StoredPoint&)>& change);

  /// Announces a use to all processes that share the store. It holds until the next call, or until
  /// this process ends. Returns false if the use of another process excludes it: numbers can change
  /// only while no other process relies on them.
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

}  // namespace faultline::store
