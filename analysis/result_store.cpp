#include "analysis/result_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "sim/core/error.hpp"
#include "sim/scenario/json_reader.hpp"

namespace faultline {

namespace {

constexpr std::int64_t kApplication = 0x464C544C;  // "FLTL"
constexpr std::int64_t kFormat = 1;

constexpr const char* kTables = R"(
CREATE TABLE studies(
  study INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, points INTEGER NOT NULL,
  faultline TEXT NOT NULL, simgrid TEXT NOT NULL, UNIQUE(hash, faultline, simgrid));
CREATE TABLE points(
  study INTEGER NOT NULL REFERENCES studies, point INTEGER NOT NULL, hash TEXT NOT NULL,
  scenario_hash TEXT NOT NULL, engine TEXT NOT NULL, seed INTEGER NOT NULL, label TEXT NOT NULL,
  parameters TEXT NOT NULL, scenario TEXT NOT NULL, failure TEXT NOT NULL, log TEXT NOT NULL,
  PRIMARY KEY(study, point));
CREATE TABLE runs(
  study INTEGER NOT NULL, point INTEGER NOT NULL, replication INTEGER NOT NULL,
  metrics TEXT NOT NULL, violations TEXT NOT NULL, events INTEGER NOT NULL, wall_s REAL NOT NULL,
  peak_rss_bytes INTEGER NOT NULL, PRIMARY KEY(study, point, replication)) WITHOUT ROWID;
CREATE VIEW results AS
  SELECT study, point, replication, name, label, scenario_hash, engine, seed, faultline, simgrid,
         json_extract(metrics, '$.outcome') AS outcome, metrics, violations, events, wall_s,
         peak_rss_bytes
  FROM runs JOIN points USING (study, point) JOIN studies USING (study);
)";

JsonValue json_of(const std::string& text, const std::string& path) {
  Problems problems(path);
  return parse_json(text, problems);
}

std::string comparable(const StoredRun& run) {
  return std::to_string(run.replication) + to_json(run.metrics) + to_json(run.violations) +
         std::to_string(run.events);
}

/// A store that is read must not be written by the same command, and the other way round.
std::unique_ptr<OutputPlace> output_place(const std::string& path, bool create) {
  if (create) return std::make_unique<OutputPlace>(path, path, FileKind::store);
  reads_file(path, FileKind::store);
  return nullptr;
}

/// SQLite takes a file that is cut off within its first page for an empty one and begins anew in
/// it, and one that is cut off within its last page for a whole one. While there is a journal,
/// SQLite knows how the file was.
void refuse_cut_file(const std::string& path) {
  constexpr std::uintmax_t kPage_B = 4096;
  const std::string magic("SQLite format 3\0", 16);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size == 0 || std::filesystem::exists(path + "-journal", error)) return;
  std::string begin(magic.size(), ' ');
  std::ifstream(path, std::ios::binary).read(begin.data(), 16);
  if (begin != magic) throw UsageError(path + ": is no store of results: it is no SQLite file");
  if (size % kPage_B != 0)
    throw UsageError(path +
                     ": is damaged (it ends within a page); use a copy of it, or begin a new "
                     "store");
}

}  // namespace

bool same_study(const StoredStudy& a, const StoredStudy& b) {
  return a.hash == b.hash && a.faultline == b.faultline && a.simgrid == b.simgrid;
}

ResultStore::ResultStore(const std::string& path, bool create)
    : output_(output_place(path, create)), database_(path, create) {
  refuse_cut_file(path);
  // Not a write-ahead log: that needs shared memory, which network file systems lack.
  database_.execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=EXTRA");
  if (create && database_.number("PRAGMA schema_version") == 0) make_tables();
  check_format();
  claims_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
}

// SQLite holds no lock between transactions, which closing another descriptor of the file would
// drop.
ResultStore::~ResultStore() { forget_claims(); }

void ResultStore::make_tables() {
  Transaction transaction(database_);
  // Another process may have been faster.
  if (database_.number("PRAGMA schema_version") != 0) return;
  database_.execute(kTables);
  database_.execute("PRAGMA application_id=" + std::to_string(kApplication) +
                    "; PRAGMA user_version=" + std::to_string(kFormat));
  transaction.commit();
}

void ResultStore::check_format() {
  if (database_.number("PRAGMA application_id") != kApplication)
    throw UsageError(path() + ": is no store of results");
  const std::int64_t format = database_.number("PRAGMA user_version");
  if (format != kFormat)
    throw UsageError(path() + ": has format " + std::to_string(format) + ", expected " +
                     std::to_string(kFormat));
  Statement check(database_, "PRAGMA quick_check(1)");
  const std::string found = check.step() ? check.text(0) : "ok";
  if (found != "ok")
    throw UsageError(path() + ": is damaged (" + found +
                     "); use a copy of it, or begin a new store");
}

std::vector<StoredStudy> ResultStore::studies() {
  Statement rows(
      database_,
      "SELECT study, name, hash, points, faultline, simgrid FROM studies ORDER BY study");
  std::vector<StoredStudy> result;
  while (rows.step())
    result.push_back(
        {rows.number(0), rows.text(1), rows.text(2), rows.number(3), rows.text(4), rows.text(5)});
  return result;
}

std::int64_t ResultStore::add_study(const StoredStudy& study) {
  Transaction transaction(database_);
  for (const StoredStudy& known : studies())
    if (same_study(known, study)) return known.id;
  Statement(database_,
            "INSERT INTO studies(name, hash, points, faultline, simgrid) VALUES(?,?,?,?,?)")
      .bind(study.name)
      .bind(study.hash)
      .bind(study.points)
      .bind(study.faultline)
      .bind(study.simgrid)
      .run();
  const std::int64_t id = database_.number("SELECT max(study) FROM studies");
  transaction.commit();
  return id;
}

std::optional<std::string> ResultStore::failure_of(std::int64_t study, std::int64_t point) {
  Statement rows(database_, "SELECT failure FROM points WHERE study=? AND point=?");
  rows.bind(study).bind(point);
  if (!rows.step()) return std::nullopt;
  return rows.text(0);
}

std::vector<RunEnding> ResultStore::endings(std::int64_t study) {
  Statement rows(database_,
                 "SELECT DISTINCT point, json_extract(metrics, '$.outcome'), violations != '[]' "
                 "FROM runs WHERE study=? ORDER BY 1, 2, 3");
  rows.bind(study);
  std::vector<RunEnding> result;
  while (rows.step()) result.push_back({rows.number(0), rows.text(1), rows.number(2) != 0});
  return result;
}

std::vector<StoredPoint> ResultStore::points(std::int64_t study) {
  return read_points("study=" + std::to_string(study));
}

std::optional<StoredPoint> ResultStore::point(std::int64_t study, std::int64_t point) {
  auto found =
      read_points("study=" + std::to_string(study) + " AND point=" + std::to_string(point));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<StoredPoint> ResultStore::read_points(const std::string& where) {
  // Points and runs of one moment, also while a sweep goes on.
  database_.execute("BEGIN");
  Statement rows(database_,
                 "SELECT study, point, hash, scenario_hash, engine, seed, label, parameters, "
                 "scenario, failure, log FROM points WHERE " +
                     where + " ORDER BY study, point");
  std::vector<StoredPoint> result;
  while (rows.step())
    result.push_back({.study = rows.number(0),
                      .point = rows.number(1),
                      .hash = rows.text(2),
                      .scenario_hash = rows.text(3),
                      .engine = rows.text(4),
                      .seed = rows.number(5),
                      .label = rows.text(6),
                      .parameters = json_of(rows.text(7), path()),
                      .scenario = json_of(rows.text(8), path()),
                      .failure = rows.text(9),
                      .log = rows.text(10),
                      .runs = {}});
  Statement runs(database_,
                 "SELECT point, replication, metrics, violations, events, wall_s, peak_rss_bytes "
                 "FROM runs WHERE " +
                     where + " ORDER BY study, point, replication");
  std::size_t at = 0;
  while (runs.step()) {
    while (at < result.size() && result[at].point != runs.number(0)) ++at;
    if (at == result.size()) throw UsageError(path() + ": is damaged (a run without its point)");
    result[at].runs.push_back({runs.number(1), json_of(runs.text(2), path()),
                               json_of(runs.text(3), path()), runs.number(4), runs.real(5),
                               runs.number(6)});
  }
  database_.execute("COMMIT");
  return result;
}

void ResultStore::save(const StoredPoint& point) {
  Transaction transaction(database_);
  const auto before = failure_of(point.study, point.point);
  if (before && (before->empty() || !point.failure.empty())) return;
  Statement(database_, "INSERT OR REPLACE INTO points VALUES(?,?,?,?,?,?,?,?,?,?,?)")
      .bind(point.study)
      .bind(point.point)
      .bind(point.hash)
      .bind(point.scenario_hash)
      .bind(point.engine)
      .bind(point.seed)
      .bind(point.label)
      .bind(to_json(point.parameters))
      .bind(to_json(point.scenario))
      .bind(point.failure)
      .bind(point.log)
      .run();
  Statement insert(database_, "INSERT INTO runs VALUES(?,?,?,?,?,?,?,?)");
  for (const StoredRun& run : point.runs)
    insert.bind(point.study)
        .bind(point.point)
        .bind(run.replication)
        .bind(to_json(run.metrics))
        .bind(to_json(run.violations))
        .bind(run.events)
        .bind(run.wall_s)
        .bind(run.peak_rss_bytes)
        .run();
  transaction.commit();
}

/// A claim is a lock on one byte far behind the end of the file, where SQLite never looks; the
/// kernel takes it back from a process that ends, however it ends.
bool ResultStore::lock(std::int64_t study, std::int64_t point, short kind) const {
  constexpr std::int64_t kFirst = std::int64_t{1} << 40;
  constexpr std::int64_t kPointsOfStudy = std::int64_t{1} << 24;
  struct flock range {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = kFirst + study * kPointsOfStudy + point;
  range.l_len = 1;
  if (claims_ < 0 || fcntl(claims_, F_OFD_SETLK, &range) == 0) return true;
  // Without locks two sweeps may simulate the same point; the first result is kept.
  return errno != EAGAIN && errno != EACCES;
}

bool ResultStore::claim(std::int64_t study, std::int64_t point) {
  return lock(study, point, F_WRLCK);
}

void ResultStore::release(std::int64_t study, std::int64_t point) { lock(study, point, F_UNLCK); }

void ResultStore::forget_claims() {
  if (claims_ >= 0) close(claims_);
  claims_ = -1;
}

std::string difference(const StoredPoint& a, const StoredPoint& b) {
  if (a.hash != b.hash || a.scenario_hash != b.scenario_hash) return "the scenarios differ";
  if (a.runs.size() != b.runs.size())
    return std::to_string(a.runs.size()) + " and " + std::to_string(b.runs.size()) +
           " replications";
  for (std::size_t i = 0; i < a.runs.size(); ++i)
    if (comparable(a.runs[i]) != comparable(b.runs[i]))
      return "replication " + std::to_string(a.runs[i].replication) + " has other results";
  return {};
}

}  // namespace faultline
