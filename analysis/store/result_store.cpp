#include "analysis/store/result_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/version.hpp"
#include "sim/json/json_path.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/study.hpp"

namespace faultline {

namespace {

constexpr std::int64_t kApplication = 0x464C544C;  // "FLTL"
constexpr std::int64_t kFormat = 2;

constexpr std::int64_t kFormatWithoutChecksums = 1;

const char* const kRemedy = "; use a copy of it, or start a new store";

const StoreTable& studies_table() {
  static const StoreTable table = {
      .name = "studies",
      .columns = {{"study", "INTEGER"},
                  {"name", "TEXT"},
                  {"hash", "TEXT"},
                  {"points", "INTEGER"},
                  {"faultline", "TEXT"},
                  {"simgrid", "TEXT"}},
      .keys = 1,
      .constraints = "PRIMARY KEY(study), UNIQUE(hash, faultline, simgrid))"};
  return table;
}

const StoreTable& points_table() {
  static const StoreTable table = {.name = "points",
                                   .columns = {{"study", "INTEGER"},
                                               {"point", "INTEGER"},
                                               {"hash", "TEXT"},
                                               {"scenario_hash", "TEXT"},
                                               {"engine", "TEXT"},
                                               {"seed", "INTEGER"},
                                               {"label", "TEXT"},
                                               {"parameters", "TEXT"},
                                               {"scenario", "TEXT"},
                                               {"failure", "TEXT"},
                                               {"log", "TEXT"}},
                                   .keys = 2,
                                   .constraints = "PRIMARY KEY(study, point))"};
  return table;
}

const StoreTable& runs_table() {
  static const StoreTable table = {
      .name = "runs",
      .columns = {{"study", "INTEGER"},
                  {"point", "INTEGER"},
                  {"replication", "INTEGER"},
                  {"metrics", "TEXT"},
                  {"violations", "TEXT"},
                  {"events", "INTEGER"},
                  {"wall_s", "REAL"},
                  {"peak_rss_bytes", "INTEGER"}},
      .keys = 3,
      .constraints = "PRIMARY KEY(study, point, replication)) WITHOUT ROWID"};
  return table;
}

// For people who read a store without Faultline. Faultline does not use it.
constexpr const char* kView = R"(
CREATE VIEW results AS
  SELECT study, point, replication, name, label, scenario_hash, engine, seed, faultline, simgrid,
         json_extract(metrics, '$.outcome') AS outcome, metrics, violations, events, wall_s,
         peak_rss_bytes
  FROM runs JOIN points USING (study, point) JOIN studies USING (study);
)";

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

/// The versions of both lists, each once, in order of first occurrence.
std::string joined_versions(const std::string& first, const std::string& second) {
  std::string all = first;
  const std::vector<std::string> known = versions_in(first);
  for (const std::string& version : versions_in(second))
    if (std::find(known.begin(), known.end(), version) == known.end())
      all.append(all.empty() ? "" : kBetweenVersions).append(version);
  return all;
}

std::string comparable(const RunRecord& run) {
  return std::to_string(run.replication) + to_json(metrics_json(run)) +
         to_json(violations_json(run.violations)) + std::to_string(run.events);
}

/// Two bytes as a big-endian number.
unsigned number_at(const std::string& bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]) * 256U + static_cast<unsigned char>(bytes[at + 1]);
}

/// A command must not write a store that it reads, nor read one that it writes.
std::unique_ptr<OutputPlace> output_place(const std::string& path, StoreUse use) {
  check_store_name(path);
  if (use != StoreUse::read) return std::make_unique<OutputPlace>(path, path, FileKind::store);
  reads_file(path, FileKind::store);
  return nullptr;
}

/// Refuses a file that was cut off. SQLite would take a file that ends within its first page for an
/// empty one and start anew in it, and one that ends within its last page for a complete one. If
/// there is a journal, SQLite can restore the file.
void refuse_cut_file(const std::string& path) {
  constexpr std::size_t kHeader_B = 100;
  const std::string magic("SQLite format 3\0", 16);
  std::error_code error;
  const std::uintmax_t size_B = std::filesystem::file_size(path, error);
  if (error || size_B == 0) return;
  for (const char* journal : {"-journal", "-wal"})
    if (std::filesystem::exists(path + journal, error)) return;
  std::string header(kHeader_B, ' ');
  std::ifstream(path, std::ios::binary).read(header.data(), kHeader_B);
  if (header.substr(0, magic.size()) != magic)
    throw UsageError(path + ": is not a store of results: it is not an SQLite file");
  const unsigned page = number_at(header, 16);
  const unsigned page_B = page == 1 ? 65536 : page;
  // The versions of the file format for writing and for reading.
  const bool known = number_at(header, 18) == 0x0101 || number_at(header, 18) == 0x0202;
  if (page_B < 512 || !std::has_single_bit(page_B) || !known)
    throw UsageError(path + ": is damaged (its header makes no sense)" + kRemedy);
  if (size_B % page_B != 0)
    throw UsageError(path + ": is damaged (it ends within a page)" + kRemedy);
}

/// Returns the path if a store can be there. Throws otherwise.
const std::string& checked(const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind != std::filesystem::file_type::regular &&
      kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::none)
    throw UsageError(path + ": cannot be opened: it is not a regular file");
  refuse_cut_file(path);
  return path;
}

/// Two columns of a point, before they are interpreted.
struct PointTexts {
  std::string parameters;
  std::string scenario;
};

/// The other columns of a point; its runs are read later.
StoredPoint read_point(RowReader& row, PointTexts& texts) {
  StoredPoint point;
  point.study = row.whole(1);
  point.point = row.whole();
  point.hash = row.text();
  point.scenario_hash = row.text();
  point.engine = row.text();
  point.seed = row.whole();
  point.label = row.text();
  texts.parameters = row.text();
  texts.scenario = row.text();
  point.failure = row.text();
  point.log = row.text();
  return point;
}

void interpret(const PointTexts& texts, const RowReader& row, PointPart part, StoredPoint& point) {
  if (part == PointPart::checksums) return;
  if (point.engine != "loggp" && point.engine != "simgrid")
    row.refuse("engine: expected loggp or simgrid, got " + in_quotes(point.engine));
  JsonValue parameters = row.parsed(texts.parameters, "parameters");
  if (part == PointPart::all) point.scenario = row.parsed(texts.scenario, "scenario");
  if (parameters.object() == nullptr)
    row.refuse("parameters: expected an object, got " + describe(parameters));
  if (part == PointPart::all && point.scenario.object() == nullptr)
    row.refuse("scenario: expected an object, got " + describe(point.scenario));
  point.parameters = std::move(*parameters.object());
  for (const JsonMember& parameter : point.parameters)
    if (split_path(parameter.key).empty())
      row.refuse("parameters: " + in_quotes(parameter.key) + " is not a path");
}

/// A run with its checksum, and the number of its point.
struct RunOfPoint {
  std::int64_t point = 0;
  RunRecord run;
  std::int64_t checksum = 0;
};

RunOfPoint read_run(RowReader row, PointPart part) {
  RunOfPoint of;
  RunRecord& run = of.run;
  row.whole(1);
  of.point = row.whole();
  run.replication = row.whole();
  const std::string metrics = row.text();
  const std::string violations = row.text();
  run.events = row.whole();
  run.wall_s = row.real();
  run.peak_rss_bytes = row.whole();
  of.checksum = row.finish();
  if (part != PointPart::all) return of;
  Problems problems(row.place());
  read_metrics(row.parsed(metrics, "metrics"), run, problems);
  read_violations(row.parsed(violations, "violations"), run, problems);
  problems.throw_if_any();
  return of;
}

/// Reads the runs of many points, which come in the order of the points.
class RunsInOrder {
 public:
  RunsInOrder(Statement& rows, const std::string& path, bool has_checksums, PointPart part)
      : rows_(rows), path_(path), has_checksums_(has_checksums), part_(part) {
    advance();
  }

  /// Moves the runs of a point into it. A point must have all its replications or, if it failed,
  /// none.
  void take(StoredPoint& point, RowReader& row) {
    std::int64_t runs = 0;
    for (; next_ && next_->point == point.point; advance()) {
      if (next_->run.replication != runs)
        row.refuse("is damaged: replication " + std::to_string(runs) + " is missing");
      row.cover(next_->checksum);
      if (part_ == PointPart::all) point.runs.push_back(std::move(next_->run));
      ++runs;
    }
    if (next_ && next_->point < point.point) refuse();
    if ((runs == 0) == point.failure.empty())
      row.refuse(runs == 0 ? "has no runs" : "has failed, but has runs");
  }

  void finish() const {
    if (next_) refuse();
  }

 private:
  void advance() {
    next_.reset();
    if (rows_.step()) next_ = read_run({rows_, runs_table(), path_, has_checksums_}, part_);
  }

  [[noreturn]] void refuse() const {
    throw UsageError(path_ + ": runs: point " + std::to_string(next_->point) +
                     ": is damaged: the store has no such point" + kRemedy);
  }

  Statement& rows_;
  std::string path_;
  bool has_checksums_;
  PointPart part_;
  std::optional<RunOfPoint> next_;
};

/// Should `point` replace what is stored for it?
bool gives_way(const StoredPoint& stored, const StoredPoint& point) {
  if (!stored.failure.empty() || !point.failure.empty())
    return !stored.failure.empty() && point.failure.empty();
  if (stored.runs.size() != point.runs.size()) return stored.runs.size() < point.runs.size();
  return asked_replications(stored) < asked_replications(point);
}

std::string place_of(std::int64_t study) { return "study=" + std::to_string(study); }

std::string place_of(std::int64_t study, std::int64_t point) {
  return place_of(study) + " AND point=" + std::to_string(point);
}

}  // namespace

std::string hash_of(const StoredPoint& point) {
  return point_hash(point.scenario_hash, point.engine, static_cast<std::uint64_t>(point.seed));
}

std::int64_t asked_replications(const StoredPoint& point) {
  const JsonValue* value = point.scenario.find("replications");
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
  return number == nullptr ? 0 : *number;
}

bool same_study(const StoredStudy& a, const StoredStudy& b) {
  return a.hash == b.hash && release_of(a.faultline) == release_of(b.faultline) &&
         a.simgrid == b.simgrid;
}

void check_store_name(const std::string& path) {
  if (path.empty()) throw UsageError("a store: expected the name of a file, got \"\"");
  if (path.find('\0') != std::string::npos)
    throw UsageError(in_quotes(path) + ": a file name must not contain a zero byte");
  if (path.starts_with(":") || path.starts_with("file:"))
    throw UsageError(path +
                     ": expected the name of a file, but SQLite gives this name another meaning (a "
                     "file of this name is ./" +
                     path + ")");
}

ResultStore::ResultStore(const std::string& path, StoreUse use)
    : output_(output_place(path, use)), database_(checked(path), use == StoreUse::sweep) {
  // A write-ahead log would need shared memory, which network file systems lack.
  database_.execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=EXTRA");
  const bool is_new = use == StoreUse::sweep && database_.number("PRAGMA page_count") == 0;
  if (is_new) make_tables();
  check_format(use);
  // What the rows of the sweep's own study say is read before it goes on with them.
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
  for (const StoreTable* table : {&studies_table(), &points_table(), &runs_table()})
    database_.execute(table_sql(*table));
  database_.execute(kView);
  database_.execute("PRAGMA application_id=" + std::to_string(kApplication) +
                    "; PRAGMA user_version=" + std::to_string(kFormat));
  transaction.commit();
}

bool ResultStore::has_checksums() const { return format_ != kFormatWithoutChecksums; }

std::string ResultStore::note() const {
  if (has_checksums()) return {};
  return path() + ": has format " + std::to_string(format_) +
         ", without checksums, so a changed digit would go unnoticed; faultline merge NEW " +
         path() + " converts it to format " + std::to_string(kFormat);
}

void ResultStore::refuse(const std::string& why) const { throw UsageError(path() + ": " + why); }

void ResultStore::check_format(StoreUse use) {
  if (database_.number("PRAGMA application_id") != kApplication)
    refuse("is not a store of results");
  format_ = database_.number("PRAGMA user_version");
  if (format_ != kFormat && format_ != kFormatWithoutChecksums)
    refuse("has format " + std::to_string(format_) + ", expected " + std::to_string(kFormat));
  if (use != StoreUse::read && format_ != kFormat)
    refuse("has format " + std::to_string(format_) + ", expected " + std::to_string(kFormat) +
           "; faultline merge NEW " + path() + " converts it, and sweep can go on with NEW");
  check_pages();
  check_tables();
}

void ResultStore::check_pages() {
  const Snapshot snapshot(database_);
  Statement encoding(database_, "PRAGMA encoding");
  if (!encoding.step() || encoding.text(0) != "UTF-8")
    refuse("is damaged (its texts are not UTF-8)" + std::string(kRemedy));
  // Checks the whole file, and the indices that find studies and points.
  for (const char* check : {"PRAGMA quick_check(1)", "PRAGMA integrity_check('points')",
                            "PRAGMA integrity_check('studies')"}) {
    Statement rows(database_, check);
    const std::string found = rows.step() ? rows.text(0) : "ok";
    if (found != "ok") refuse("is damaged (" + plain_words(found) + ")" + kRemedy);
  }
}

void ResultStore::check_tables() {
  const Snapshot snapshot(database_);
  Statement triggers(database_, "SELECT name FROM sqlite_schema WHERE type='trigger'");
  if (triggers.step())
    refuse("has a trigger, " + in_quotes(plain_words(triggers.text(0))) +
           ", which a store of results never has");
  for (const StoreTable* table : {&studies_table(), &points_table(), &runs_table()}) {
    Statement tables(database_, "SELECT 1 FROM sqlite_schema WHERE type='table' AND name=?");
    tables.bind(table->name);
    if (!tables.step()) refuse("has no table " + table->name + kRemedy);
    auto columns = table->columns;
    if (has_checksums()) columns.push_back({"checksum", "INTEGER"});
    // Only ordinary columns: generated and hidden ones do not count.
    Statement found(database_, "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden=0");
    found.bind(table->name);
    for (const StoreColumn& column : columns)
      if (!found.step() || found.text(0) != column.name || found.text(1) != column.type)
        refuse("table " + table->name + ": expected a column " + column.name + " (" + column.type +
               ")" + kRemedy);
    if (found.step())
      refuse("table " + table->name + ": has an unexpected column, " +
             in_quotes(plain_words(found.text(0))) + kRemedy);
  }
  for (const char* orphans : {"SELECT study FROM points WHERE study NOT IN (SELECT study FROM "
                              "studies) LIMIT 1",
                              "SELECT study FROM runs WHERE study NOT IN (SELECT study FROM "
                              "studies) LIMIT 1"}) {
    Statement rows(database_, orphans);
    if (rows.step())
      refuse("is damaged (it has results of study " + std::to_string(rows.number(0)) +
             ", but no such study)" + kRemedy);
  }
}

std::string ResultStore::select(const StoreTable& table) const {
  return "SELECT " + column_list(table, has_checksums()) + " FROM " + table.name;
}

StoredStudy ResultStore::read_study(const Statement& from) const {
  constexpr std::int64_t kMost = 1000000000;  // keeps the place of a claim within a file offset
  RowReader row(from, studies_table(), path(), has_checksums());
  StoredStudy study;
  study.id = row.whole(1, kMost);
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
  Statement rows(database_, select(runs_table()) + " WHERE study=? ORDER BY point, replication");
  rows.bind(study);
  std::set<std::tuple<std::int64_t, Outcome, bool>> ways;
  while (rows.step()) {
    const RunOfPoint of = read_run({rows, runs_table(), path(), has_checksums()}, PointPart::all);
    ways.emplace(of.point, of.run.outcome, !of.run.violations.empty());
  }
  std::vector<RunEnding> result;
  result.reserve(ways.size());
  for (const auto& [point, outcome, violated] : ways) result.push_back({point, outcome, violated});
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
  return find_point(study, point);
}

std::optional<StoredPoint> ResultStore::find_point(std::int64_t study, std::int64_t point) {
  std::optional<StoredPoint> found;
  read_points(place_of(study, point), [&](StoredPoint& stored) { found = std::move(stored); });
  return found;
}

void ResultStore::read_points(const std::string& where,
                              const std::function<void(StoredPoint&)>& take, PointPart part) {
  Statement rows(database_, select(points_table()) + " WHERE " + where + " ORDER BY point");
  Statement run_rows(database_,
                     select(runs_table()) + " WHERE " + where + " ORDER BY point, replication");
  RunsInOrder runs(run_rows, path(), has_checksums(), part);
  while (rows.step()) {
    RowReader row(rows, points_table(), path(), has_checksums());
    PointTexts texts;
    StoredPoint point = read_point(row, texts);
    runs.take(point, row);
    row.finish();
    interpret(texts, row, part, point);
    take(point);
  }
  runs.finish();
}

void ResultStore::save(const StoredPoint& point) {
  Transaction transaction(database_);
  const auto stored = find_point(point.study, point.point);
  if (stored && !gives_way(*stored, point)) return;
  remove(point.study, point.point);
  write(point);
  transaction.commit();
}

void ResultStore::remove(std::int64_t study, std::int64_t point) {
  for (const char* table : {"points", "runs"})
    Statement(database_, std::string("DELETE FROM ") + table + " WHERE " + place_of(study, point))
        .run();
}

void ResultStore::write(const StoredPoint& point) {
  RowWriter row(database_, points_table());
  row.put(point.study)
      .put(point.point)
      .put(point.hash)
      .put(point.scenario_hash)
      .put(point.engine)
      .put(point.seed)
      .put(storable(point.label))
      .put(to_json(point.parameters))
      .put(to_json(point.scenario))
      .put(storable(point.failure))
      .put(storable(point.log));
  RowWriter insert(database_, runs_table());
  for (const RunRecord& run : point.runs)
    row.cover(insert.put(point.study)
                  .put(point.point)
                  .put(run.replication)
                  .put(to_json(metrics_json(run)))
                  .put(to_json(violations_json(run.violations)))
                  .put(run.events)
                  .put(run.wall_s)
                  .put(run.peak_rss_bytes)
                  .finish());
  row.finish();
}

/// A claim locks one byte far behind the end of the file, where SQLite never looks. When a process
/// ends, for whatever reason, the kernel releases its locks.
bool ResultStore::lock(std::int64_t study, std::int64_t point, short kind) const {
  constexpr std::int64_t kFirst = std::int64_t{1} << 40;
  constexpr std::int64_t kPointsOfStudy = std::int64_t{1} << 24;
  struct flock range {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = kFirst + study * kPointsOfStudy + point;
  range.l_len = 1;
  if (claims_ < 0 || fcntl(claims_, F_OFD_SETLK, &range) == 0) return true;
  // On a file system without locks, two sweeps may simulate the same point. The first result is
  // kept.
  return errno != EAGAIN && errno != EACCES;
}

bool ResultStore::claim(std::int64_t study, std::int64_t point) {
  return lock(study, point, F_WRLCK);
}

void ResultStore::release(std::int64_t study, std::int64_t point) { lock(study, point, F_UNLCK); }

bool ResultStore::use_numbers(NumbersUse use) {
  // Studies are counted from 1, so the byte of study 0 is free for this lock.
  if (use == NumbersUse::none) return lock(0, 0, F_UNLCK);
  return lock(0, 0, use == NumbersUse::kept ? F_RDLCK : F_WRLCK);
}

void ResultStore::forget_claims() {
  if (claims_ >= 0) close(claims_);
  claims_ = -1;
}

std::string difference(const StoredPoint& a, const StoredPoint& b) {
  for (std::size_t i = 0; i < std::min(a.runs.size(), b.runs.size()); ++i)
    if (comparable(a.runs[i]) != comparable(b.runs[i]))
      return "replication " + std::to_string(a.runs[i].replication) + " has other results";
  return {};
}

}  // namespace faultline
