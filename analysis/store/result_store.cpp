// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/result_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/store/store_tables.hpp"
#include "analysis/store/units_view.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"

namespace faultline::store {

namespace {

// The place of a claim is a file offset: 2^40 + study * 2^44 + point * 2^20 + replication.
constexpr std::int64_t kFirstClaim = std::int64_t{1} << 40;
constexpr std::int64_t kClaimsOfStudy = std::int64_t{1} << 44;
constexpr std::int64_t kClaimsOfPoint = std::int64_t{1} << 20;
constexpr std::int64_t kMostStudies = std::int64_t{1} << 17;
static_assert(kMostReplications < kClaimsOfPoint);

constexpr std::int64_t kApplication = 0x464C544C;  // "FLTL"

std::string place_of(std::int64_t study) { return "study=" + std::to_string(study); }

std::string place_of(std::int64_t study, std::int64_t point) {
  return place_of(study) + " AND point=" + std::to_string(point);
}

std::string place_of(const PointRange& range) {
  return place_of(range.study, range.point) + " AND replication BETWEEN " +
         std::to_string(range.first) + " AND " + std::to_string(range.end - 1);
}

/// The sum of checksums, modulo 2^64. It does not depend on the order in which runs are stored.
std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

ResultStore::ResultStore(const std::string& path, StoreUse use)
    : output_(output_place(path, use)),
      database_(checked_store_path(path), use == StoreUse::sweep) {
  // A write-ahead log would need shared memory, which network file systems lack. EXTRA would save
  // the last transaction from a crash of the machine, too, and makes each take five times as long.
  database_.execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL");
  const bool is_new = use == StoreUse::sweep && database_.number("PRAGMA page_count") == 0;
  if (is_new) make_tables();
  check_format(use);
  // Reads the rows of the sweep's own study before it goes on with them.
  if (use != StoreUse::read && !is_new)
    for (const StoredStudy& study : studies())
      each_point(
          study.id, [](StoredPoint&) {}, PointPart::checksums);
  claims_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
}

// Closing a descriptor drops every lock that this process holds on the file. SQLite holds none now,
// because it locks only during transactions.
ResultStore::~ResultStore() { forget_claims(); }

void ResultStore::make_tables() {
  Transaction transaction(database_);
  // Another process may have made the tables meanwhile.
  if (database_.number("PRAGMA schema_version") != 0) return;
  for (const StoreTable* table : store_tables()) database_.execute(table_sql(*table));
  database_.execute(results_view_sql());
  database_.execute(units_view_sql());
  database_.execute("PRAGMA application_id=" + std::to_string(kApplication) +
                    "; PRAGMA user_version=" + std::to_string(kStoreFormat));
  transaction.commit();
}

void ResultStore::copy_to(const std::string& path) {
  // SQLite gives some names another meaning, but no path that begins with "/".
  Statement copy(database_, "VACUUM INTO ?");
  copy.bind(std::filesystem::absolute(path).string()).run();
}

std::string ResultStore::note() const {
  if (row_format().has_checksums()) return {};
  return path() + ": has format " + std::to_string(format_) +
         ", without checksums, so a changed digit would go unnoticed; faultline merge NEW " +
         path() + " converts it to format " + std::to_string(kStoreFormat);
}

void ResultStore::refuse(const std::string& why) const { throw UsageError(path() + ": " + why); }

void ResultStore::check_format(StoreUse use) {
  if (database_.number("PRAGMA application_id") != kApplication)
    refuse("is not a store of results");
  format_ = database_.number("PRAGMA user_version");
  const std::string expected =
      "has format " + std::to_string(format_) + ", expected " + std::to_string(kStoreFormat);
  if (format_ < 1 || format_ > kStoreFormat) refuse(expected);
  if (use != StoreUse::read && format_ != kStoreFormat)
    refuse(expected + "; faultline merge NEW " + path() +
           " converts it, and sweep can go on with NEW");
  check_pages();
  check_tables();
}

void ResultStore::check_pages() {
  const Snapshot snapshot(database_);
  Statement encoding(database_, "PRAGMA encoding");
  if (!encoding.step() || encoding.text(0) != "UTF-8")
    refuse("is damaged (its texts are not UTF-8)" + std::string(kStoreRemedy));
  // Checks the whole file, and the indices that find studies and points.
  for (const char* check : {"PRAGMA quick_check(1)", "PRAGMA integrity_check('points')",
                            "PRAGMA integrity_check('studies')"}) {
    Statement rows(database_, check);
    const std::string found = rows.step() ? rows.text(0) : "ok";
    if (found != "ok") refuse("is damaged (" + plain_words(found) + ")" + kStoreRemedy);
  }
}

void ResultStore::check_tables() {
  const Snapshot snapshot(database_);
  Statement triggers(database_, "SELECT name FROM sqlite_schema WHERE type='trigger'");
  if (triggers.step())
    refuse("has a trigger, " + json::in_quotes(plain_words(triggers.text(0))) +
           ", which a store of results never has");
  for (const StoreTable* table : store_tables(format_)) {
    Statement tables(database_, "SELECT 1 FROM sqlite_schema WHERE type='table' AND name=?");
    tables.bind(table->name);
    if (!tables.step()) refuse("has no table " + table->name + kStoreRemedy);
    auto columns = table->columns;
    if (row_format().has_checksums()) columns.push_back({"checksum", "INTEGER"});
    // Only ordinary columns: generated and hidden ones do not count.
    Statement found(database_, "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden=0");
    found.bind(table->name);
    for (const StoreColumn& column : columns)
      if (!found.step() || found.text(0) != column.name || found.text(1) != column.type)
        refuse("table " + table->name + ": expected a column " + column.name + " (" + column.type +
               ")" + kStoreRemedy);
    if (found.step())
      refuse("table " + table->name + ": has an unexpected column, " +
             json::in_quotes(plain_words(found.text(0))) + kStoreRemedy);
  }
  for (const char* orphans : {"SELECT study FROM points WHERE study NOT IN (SELECT study FROM "
                              "studies) LIMIT 1",
                              "SELECT study FROM runs WHERE study NOT IN (SELECT study FROM "
                              "studies) LIMIT 1"}) {
    Statement rows(database_, orphans);
    if (rows.step())
      refuse("is damaged (it has results of study " + std::to_string(rows.number(0)) +
             ", but no such study)" + kStoreRemedy);
  }
}

RowReader ResultStore::run_reader(const Statement& rows) const {
  return {rows, runs_table(), path(), row_format().has_checksums()};
}

std::string ResultStore::select(const StoreTable& table) const {
  return "SELECT " + column_list(table, row_format().has_checksums()) + " FROM " + table.name;
}

StoredStudy ResultStore::read_study(const Statement& from) const {
  constexpr std::int64_t kMost = 1000000000;
  RowReader row(from, studies_table(), path(), row_format().has_checksums());
  StoredStudy study;
  study.id = row.whole(1, kMostStudies);
  study.name = row.text();
  study.hash = row.text();
  study.points = row.whole(1, kMost);
  study.faultline = row.text();
  study.simgrid = row.text();
  row.finish();
  return study;
}

std::vector<StoredStudy> ResultStore::studies() {
  Statement rows(database_, select(studies_table()) + " ORDER BY study");
  std::vector<StoredStudy> result;
  while (rows.step()) result.push_back(read_study(rows));
  return result;
}

std::int64_t ResultStore::add_study(const StoredStudy& study) {
  Transaction transaction(database_);
  StoredStudy added = study;
  added.id = 1;
  for (const StoredStudy& known : studies()) {
    if (same_study(known, study)) {
      add_builds(known, study.faultline);
      transaction.commit();
      return known.id;
    }
    added.id = known.id + 1;
  }
  write(added);
  transaction.commit();
  return added.id;
}

void ResultStore::write(const StoredStudy& study) {
  RowWriter(database_, studies_table())
      .put(study.id)
      .put(storable(study.name))
      .put(study.hash)
      .put(study.points)
      .put(study.faultline)
      .put(study.simgrid)
      .finish();
}

void ResultStore::rewrite(StoredStudy study, const std::function<bool(StoredPoint&)>& change) {
  Transaction transaction(database_);
  std::vector<StoredPoint> changed;
  std::vector<std::int64_t> old_numbers;
  read_points(place_of(study.id), [&](StoredPoint& point) {
    const std::int64_t old_number = point.point;
    const bool is_changed = change(point);
    study.points = std::max(study.points, point.point + 1);
    if (!is_changed) return;
    old_numbers.push_back(old_number);
    changed.push_back(std::move(point));
  });
  for (const std::int64_t number : old_numbers) remove(study.id, number);
  for (const StoredPoint& point : changed) write(point);
  Statement(database_, "DELETE FROM studies WHERE study=?").bind(study.id).run();
  write(study);
  transaction.commit();
}

void ResultStore::add_builds(StoredStudy known, const std::string& versions) {
  const std::string all = joined_versions(known.faultline, versions);
  if (all == known.faultline) return;
  known.faultline = all;
  Statement(database_, "DELETE FROM studies WHERE study=?").bind(known.id).run();
  write(known);
}

std::optional<std::string> ResultStore::failure_of(std::int64_t study, std::int64_t point) {
  Statement rows(database_, "SELECT failure FROM points WHERE study=? AND point=?");
  rows.bind(study).bind(point);
  if (!rows.step()) return std::nullopt;
  return rows.text(0);
}

std::vector<RunEnding> ResultStore::endings(std::int64_t study) {
  const Snapshot snapshot(database_);
  Statement rows(database_, select(runs_table()) +
                                " WHERE study=? AND point NOT IN (SELECT point FROM points WHERE "
                                "study=? AND failure<>'') ORDER BY point, replication");
  rows.bind(study).bind(study);
  std::map<std::tuple<std::int64_t, engine::Outcome, bool>, std::size_t> ways;
  while (rows.step()) {
    const RunOfPoint of = read_run(run_reader(rows), PointPart::all);
    ++ways[{of.point, of.run.outcome, !of.run.violations.empty()}];
  }
  std::vector<RunEnding> result;
  result.reserve(ways.size());
  for (const auto& [way, runs] : ways)
    result.push_back({std::get<0>(way), std::get<1>(way), std::get<2>(way), runs});
  return result;
}

std::vector<StoredPoint> ResultStore::points(std::int64_t study) {
  std::vector<StoredPoint> result;
  each_point(study, [&](StoredPoint& point) { result.push_back(std::move(point)); });
  return result;
}

void ResultStore::each_point(std::int64_t study, const std::function<void(StoredPoint&)>& take,
                             PointPart part) {
  // Points and runs must be of the same moment, even while a sweep writes.
  const Snapshot snapshot(database_);
  read_points(place_of(study), take, part);
}

std::optional<StoredPoint> ResultStore::point(std::int64_t study, std::int64_t point) {
  const Snapshot snapshot(database_);
  std::optional<StoredPoint> found;
  read_points(place_of(study, point), [&](StoredPoint& stored) { found = std::move(stored); });
  return found;
}

std::optional<StoredPoint> ResultStore::part(const PointRange& range) {
  const Snapshot snapshot(database_);
  std::int64_t runs_checksum = 0;
  std::optional<StoredPoint> found = find_row(range, runs_checksum);
  if (!found) return found;
  found->runs = find_runs(range);
  derive(*found);
  return found;
}

/// The point without its runs.
std::optional<StoredPoint> ResultStore::find_row(const PointRange& range,
                                                 std::int64_t& runs_checksum) {
  const StoreTable& table = points_table(format_);
  Statement rows(database_, select(table) + " WHERE " + place_of(range.study, range.point));
  if (!rows.step()) return std::nullopt;
  RowReader row(rows, table, path(), row_format().has_checksums());
  PointColumns columns;
  StoredPoint point = read_point(row, columns, row_format());
  row.finish();
  interpret(columns, row, PointPart::all, point);
  runs_checksum = columns.runs_checksum;
  return point;
}

std::vector<runs::RunRecord> ResultStore::find_runs(const PointRange& range) {
  Statement rows(database_,
                 select(runs_table()) + " WHERE " + place_of(range) + " ORDER BY replication");
  std::vector<runs::RunRecord> found;
  while (rows.step()) found.push_back(read_run(run_reader(rows), PointPart::all).run);
  return found;
}

std::vector<std::int64_t> ResultStore::numbers_of_runs(const PointRange& range) {
  Statement rows(database_,
                 "SELECT replication FROM runs WHERE " + place_of(range) + " ORDER BY replication");
  std::vector<std::int64_t> numbers;
  while (rows.step()) numbers.push_back(rows.number(0));
  return numbers;
}

void ResultStore::read_points(const std::string& where,
                              const std::function<void(StoredPoint&)>& take, PointPart part) {
  const StoreTable& table = points_table(format_);
  Statement rows(database_, select(table) + " WHERE " + where + " ORDER BY point");
  Statement run_rows(database_,
                     select(runs_table()) + " WHERE " + where + " ORDER BY point, replication");
  RunsInOrder runs(run_rows, row_format(), part);
  while (rows.step()) {
    RowReader row(rows, table, path(), row_format().has_checksums());
    PointColumns columns;
    StoredPoint point = read_point(row, columns, row_format());
    runs.take(point, row, columns);
    interpret(columns, row, part, point);
    take(point);
  }
  runs.finish();
}

void ResultStore::save(const StoredPoint& part) {
  Transaction transaction(database_);
  save_part(part);
  transaction.commit();
}

void ResultStore::save(const std::vector<StoredPoint>& parts) {
  Transaction transaction(database_);
  for (const StoredPoint& part : parts) save_part(part);
  transaction.commit();
}

void ResultStore::save_part(const StoredPoint& part) {
  std::int64_t sum = 0;
  std::optional<StoredPoint> known = find_row({part.study, part.point}, sum);
  if (!known) {
    write(part);
    return;
  }
  PointRange range{part.study, part.point, 0, 0};
  if (!part.runs.empty())
    range = {part.study, part.point, part.runs.front().replication,
             part.runs.back().replication + 1};
  const std::vector<std::int64_t> numbers = numbers_of_runs(range);
  bool is_changed = false;
  for (const runs::RunRecord& run : part.runs) {
    if (std::binary_search(numbers.begin(), numbers.end(), run.replication)) continue;
    sum = sum_of(sum, write(part, run));
    is_changed = true;
  }
  const auto has_run = [&](std::int64_t number) {
    return !numbers_of_runs({part.study, part.point, number, number + 1}).empty();
  };
  if (!join(*known, part, has_run) && !is_changed) return;
  Statement(database_, "DELETE FROM points WHERE " + place_of(part.study, part.point)).run();
  write(*known, sum);
}

void ResultStore::remove(std::int64_t study, std::int64_t point) {
  for (const char* table : {"points", "runs"})
    Statement(database_, std::string("DELETE FROM ") + table + " WHERE " + place_of(study, point))
        .run();
}

void ResultStore::write(const StoredPoint& point) {
  std::int64_t sum = 0;
  for (const runs::RunRecord& run : point.runs) sum = sum_of(sum, write(point, run));
  write(point, sum);
}

void ResultStore::write(const StoredPoint& point, std::int64_t runs_checksum) {
  RowWriter(database_, points_table())
      .put(point.study)
      .put(point.point)
      .put(point.hash)
      .put(point.scenario_hash)
      .put(point.engine)
      .put(point.seed)
      .put(storable(point.label))
      .put(json::to_json(point.parameters))
      .put(json::to_json(point.scenario))
      .put(storable(point.failure))
      .put(storable(point.log))
      .put(wanted_runs(point))
      .put(point.failed_replication)
      .put(runs_checksum)
      .finish();
}

/// Writes a run of the point; returns its checksum.
std::int64_t ResultStore::write(const StoredPoint& point, const runs::RunRecord& run) {
  return RowWriter(database_, runs_table())
      .put(point.study)
      .put(point.point)
      .put(run.replication)
      .put(json::to_json(runs::metrics_json(run)))
      .put(json::to_json(runs::violations_json(run.violations)))
      .put(run.events)
      .put(run.wall_s)
      .put(run.peak_rss_bytes)
      .finish();
}

/// A claim locks bytes far behind the end of the file, one for each replication, where SQLite never
/// looks. When a process ends, for whatever reason, the kernel releases its locks.
bool ResultStore::lock(const PointRange& range, short kind) const {
  struct flock bytes {};
  bytes.l_type = kind;
  bytes.l_whence = SEEK_SET;
  bytes.l_start =
      kFirstClaim + range.study * kClaimsOfStudy + range.point * kClaimsOfPoint + range.first;
  bytes.l_len = range.end - range.first;
  if (claims_ < 0 || fcntl(claims_, F_OFD_SETLK, &bytes) == 0) return true;
  // On a file system without locks, two sweeps may simulate the same replications. The first result
  // is kept.
  return errno != EAGAIN && errno != EACCES;
}

bool ResultStore::claim(const PointRange& range) { return lock(range, F_WRLCK); }

void ResultStore::release(const PointRange& range) { lock(range, F_UNLCK); }

bool ResultStore::use_numbers(NumbersUse use) {
  // Studies are counted from 1, so the byte of study 0 is free for this lock.
  constexpr PointRange kNumbers{0, 0, 0, 1};
  if (use == NumbersUse::none) return lock(kNumbers, F_UNLCK);
  return lock(kNumbers, use == NumbersUse::kept ? F_RDLCK : F_WRLCK);
}

void ResultStore::forget_claims() {
  if (claims_ >= 0) close(claims_);
  claims_ = -1;
}

}  // namespace faultline::store
