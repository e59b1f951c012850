#include "analysis/store/result_store.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/report/study_page.hpp"
#include "analysis/store/comparison.hpp"
#include "analysis/store/merge.hpp"
#include "sim/core/error.hpp"
#include "sim/core/file_roles.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace faultline;
using Catch::Contains;

namespace {

RunRecord run_of(std::int64_t replication, double messages) {
  RunRecord run;
  run.replication = replication;
  run.outcome = messages < 0 ? Outcome::premature : Outcome::terminated;
  run.terminated = messages >= 0;
  run.metrics = {{"application_messages", 40},
                 {"control_messages", messages},
                 {"borrows", std::nullopt},
                 {"end_time_s", 0.125 * messages}};
  if (messages < 0)
    run.violations = {{.kind = "premature", .time_s = 0.5, .actor = 3, .detail = "work remains"}};
  run.events = 1000;
  run.wall_s = 0.25;
  run.peak_rss_bytes = 1 << 20;
  return run;
}

StoredPoint point_of(std::int64_t number, const std::string& detector, int processes,
                     const std::vector<double>& messages) {
  StoredPoint point{.study = 1,
                    .point = number,
                    .hash = "hash of the point",
                    .scenario_hash = "hash of scenario " + std::to_string(number),
                    .engine = "loggp",
                    .seed = 7,
                    .label = "termination=" + detector,
                    .parameters = {{"termination", json_object({{"name", detector}})},
                                   {"platform.processes", processes}},
                    .scenario = json_object({{"faults", json_object({{"at", JsonValue()}})}}),
                    .failure = messages.empty() ? "took longer than 1 s" : "",
                    .log = messages.empty() ? "last words\n" : "",
                    .runs = {}};
  for (const double value : messages)
    point.runs.push_back(run_of(static_cast<std::int64_t>(point.runs.size()), value));
  return point;
}

/// A small store in a folder of its own.
class SmallStore {
 public:
  SmallStore() {
    ResultStore store(path(), StoreUse::sweep);
    store.add_study(
        {.name = "small", .hash = "h", .points = 6, .faultline = "1", .simgrid = "3.32"});
    store.save(point_of(0, "cda", 16, {10, 11, 12}));
    store.save(point_of(1, "hcda", 16, {20, -21, 22}));
    store.save(point_of(2, "cda", 32, {30, 31, 32}));
    store.save(point_of(3, "hcda", 32, {}));
  }

  [[nodiscard]] std::string path(const std::string& name = "r.sqlite") const {
    return (directory_.path() / name).string();
  }

  void change(const std::string& sql) const { Database(path(), false).execute(sql); }

  /// As Faultline made stores before they had checksums.
  void forget_checksums() const {
    change(
        "DROP VIEW results; ALTER TABLE studies DROP COLUMN checksum; ALTER TABLE points DROP "
        "COLUMN checksum; ALTER TABLE runs DROP COLUMN checksum; PRAGMA user_version=1");
  }

  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void write(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  TemporaryDirectory directory_;
};

/// What the verbs that read a store say of it.
std::string answers(const std::string& path) {
  ResultStore store(path, StoreUse::read);
  auto points = select_points(store, {"point >= 0"});
  std::string text = rows_csv(run_rows(points)) +
                     rows_json(summary_rows(group_points(points, swept_paths(points)),
                                            swept_paths(points), metric_names(points)));
  for (const char* metric : {"control_messages", "terminated"}) {
    const ComparisonSettings settings{.by = "termination", .metric = metric};
    text += comparison_table(compare(points, settings), settings);
  }
  HtmlPage page("report", "");
  for (const StudyReport& report :
       study_reports(std::move(points), {.store = "r", .conditions = {}, .metrics = {}}))
    add_study(page, report, "r", {});
  return text + page.text();
}

/// What a sweep knows of a store that it goes on with.
std::string known_to_sweeps(const std::string& path) {
  forget_files_read();  // as another command
  ResultStore store(path, StoreUse::sweep);
  std::string text;
  for (const StoredStudy& study : store.studies()) text += study.name + study.hash + study.simgrid;
  for (std::int64_t point = 0; point < 6; ++point)
    text += store.failure_of(1, point).value_or("not there") + ";";
  for (const RunEnding& ending : store.endings(1))
    text +=
        std::to_string(ending.point) + outcome_word(ending.outcome) + (ending.violated ? "!" : "");
  return text;
}

std::string merged(const SmallStore& store) {
  forget_files_read();
  merge_stores(store.path("m.sqlite"), {store.path()});
  std::string text = answers(store.path("m.sqlite"));
  std::filesystem::remove(store.path("m.sqlite"));
  return text;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "not refused";
}

/// A store says with one bit changed what it said before, or is refused in words that name it.
class FlippedBits {
 public:
  FlippedBits() {
    store_.change("PRAGMA page_size=512; VACUUM");
    bytes_ = store_.bytes();
    answers_ = answers(store_.path());
    known_ = known_to_sweeps(store_.path());
  }

  [[nodiscard]] std::size_t bits() const { return bytes_.size() * 8; }
  [[nodiscard]] std::size_t refused() const { return refused_; }

  void flip(std::size_t bit, bool merge) {
    std::string changed = bytes_;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    store_.write(changed);
    INFO("bit " << bit);
    check(answers_, [&] { return answers(store_.path()); });
    if (merge) check(answers_, [&] { return merged(store_); });
    check(known_, [&] { return known_to_sweeps(store_.path()); });
  }

 private:
  void check(const std::string& expected, const std::function<std::string()>& ask) {
    std::string said;
    const std::string why = refusal([&] { said = ask(); });
    if (why == "not refused") {
      REQUIRE((said == expected));
      return;
    }
    ++refused_;
    REQUIRE_THAT(why, Contains("r.sqlite: "));
    REQUIRE(std::all_of(why.begin(), why.end(),
                        [](char letter) { return letter >= ' ' && letter <= '~'; }));
  }

  SmallStore store_;
  std::string bytes_;
  std::string answers_;
  std::string known_;
  std::size_t refused_ = 0;
};

}  // namespace

TEST_CASE("a store with a flipped bit gives the same results, or is refused") {
  FlippedBits store;
  constexpr std::size_t kHeader_B = 100;
  for (std::size_t bit = 0; bit < kHeader_B * 8; ++bit) store.flip(bit, false);
  std::mt19937 random(20261);
  for (int i = 0; i < 1200; ++i) store.flip(random() % store.bits(), i % 40 == 0);
  CHECK(store.refused() > 1000);
}

TEST_CASE("a store with any single bit flipped gives the same results, or is refused", "[.soak]") {
  FlippedBits store;
  for (std::size_t bit = 0; bit < store.bits(); ++bit) store.flip(bit, bit % 1000 == 0);
}

TEST_CASE("every value of a stored row is checked, and refused with table and row") {
  for (const auto& [sql, message] : std::vector<std::pair<std::string, std::string>>{
           {"UPDATE runs SET metrics='5' WHERE point=1 AND replication=2",
            "r.sqlite: runs: study 1, point 1, replication 2: metrics: expected an object, got"},
           {"UPDATE runs SET metrics=replace(metrics, 'outcome', 'nutcome')",
            "point 0, replication 0: metrics.outcome: missing"},
           {"UPDATE runs SET metrics=replace(metrics, 'terminated\",', 'ended\",')",
            "metrics.outcome: unknown outcome \"ended\", expected terminated, finished"},
           {"UPDATE runs SET metrics=replace(metrics, 'true', '1')",
            "metrics.terminated: expected true, false or null, got"},
           {"UPDATE runs SET metrics=replace(metrics, '40', '\"40\"')",
            "metrics.application_messages: expected a number or null, got"},
           {"UPDATE runs SET metrics=metrics || ' '||char(0)", "has a zero byte"},
           {"UPDATE runs SET metrics=CAST(x'7b22ff223a307d' AS TEXT)", "not UTF-8"},
           {"UPDATE runs SET metrics='{'", "not valid JSON"},
           {"UPDATE runs SET metrics=x'7b7d'", "metrics: expected a text, got bytes"},
           {"UPDATE runs SET violations='{}'", "violations: expected a list, got"},
           {"UPDATE runs SET violations='[{}]'", "violations[0].kind: missing"},
           {"UPDATE runs SET violations='[7]'", "violations[0].kind: missing"},
           {"UPDATE runs SET violations=replace(violations, '0.5', 'null')",
            "violations[0].time_s: expected a number, got null"},
           {"UPDATE runs SET events='many'", "events: expected an integer, got a text"},
           {"UPDATE runs SET events=-1", "events: expected an integer from 0"},
           {"UPDATE runs SET wall_s=9e999", "wall_s: expected a number of at least 0"},
           {"UPDATE runs SET replication=5 WHERE point=2 AND replication=1",
            "points: study 1, point 2: is damaged: replication 1 is missing"},
           {"DELETE FROM runs WHERE point=2", "points: study 1, point 2: has no runs"},
           {"UPDATE runs SET point=9 WHERE point=2 AND replication=2",
            "the store has no such point"},
           {"DELETE FROM points WHERE point=0", "runs: point 0: is damaged: the store has no such"},
           {"UPDATE points SET failure='x' WHERE point=1", "has failed, but has runs"},
           {"UPDATE points SET parameters='[]'",
            "parameters: expected an object, got an empty list"},
           {"UPDATE points SET parameters='{\"a..b\": 1}'", "\"a..b\" is not a path"},
           {"UPDATE points SET scenario='null'", "scenario: expected an object, got null"},
           {"UPDATE points SET engine='logp'", "engine: expected loggp or simgrid, got \"logp\""},
           {"UPDATE points SET seed=0.5", "seed: expected an integer, got a number"},
           {"UPDATE points SET point='x' WHERE point=3", "point: expected an integer"},
           {"UPDATE studies SET points=0", "studies: study 1: points: expected an integer from 1"},
           {"UPDATE studies SET study=2", "it has results of study 1, but no such study"},
           {"UPDATE studies SET name=CAST(x'c328' AS TEXT)", "name: has a zero byte, or bytes"}}) {
    INFO(sql);
    const SmallStore store;
    store.forget_checksums();
    REQUIRE_NOTHROW(answers(store.path()));
    store.change(sql);
    CHECK_THAT(refusal([&] { answers(store.path()); }), Contains(message));
    CHECK_THAT(refusal([&] { merged(store); }), Contains(message));
  }
}

TEST_CASE("a changed value does not fit the checksum of its row") {
  for (const auto& [sql, row] : std::vector<std::pair<std::string, std::string>>{
           {"UPDATE runs SET metrics=replace(metrics, '40', '41') WHERE point=1 AND replication=0",
            "runs: study 1, point 1, replication 0"},
           {"UPDATE runs SET events=1001 WHERE point=2 AND replication=1",
            "runs: study 1, point 2, replication 1"},
           {"UPDATE runs SET wall_s=0.5 WHERE point=0 AND replication=0",
            "runs: study 1, point 0, replication 0"},
           {"UPDATE runs SET checksum=checksum+1 WHERE point=0 AND replication=0",
            "runs: study 1, point 0, replication 0"},
           {"DELETE FROM runs WHERE point=2 AND replication=2", "points: study 1, point 2"},
           {"UPDATE points SET label='' WHERE point=3", "points: study 1, point 3"},
           {"UPDATE points SET seed=8 WHERE point=0", "points: study 1, point 0"},
           {"UPDATE studies SET simgrid='3.33'", "studies: study 1"}}) {
    INFO(sql);
    const SmallStore store;
    store.change(sql);
    const std::string message = row + ": is damaged: its checksum does not match";
    CHECK_THAT(refusal([&] { answers(store.path()); }), Contains(message));
    CHECK_THAT(refusal([&] { known_to_sweeps(store.path()); }), Contains(message));
  }
}

TEST_CASE("a store with changed tables or a trigger is refused in our own words") {
  for (const auto& [sql, message] : std::vector<std::pair<std::string, std::string>>{
           {"DROP VIEW results; DROP TABLE runs", "has no table runs"},
           {"DROP VIEW results; DROP TABLE runs; CREATE VIEW runs AS SELECT 1 AS study",
            "has no table runs"},
           {"DROP VIEW results; ALTER TABLE runs DROP COLUMN events",
            "table runs: expected a column events (INTEGER)"},
           {"ALTER TABLE points ADD COLUMN mine TEXT", "an unexpected column, \"mine\""},
           {"DROP VIEW results; DROP TABLE studies; CREATE TABLE studies(study INTEGER, name BLOB)",
            "table studies: expected a column name (TEXT)"},
           {"DROP VIEW results; ALTER TABLE runs DROP COLUMN checksum; ALTER TABLE runs ADD COLUMN "
            "checksum INTEGER GENERATED ALWAYS AS (events)",
            "table runs: expected a column checksum (INTEGER)"},
           {"CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
            "has a trigger, \"t\""},
           {"CREATE TRIGGER \"a\x1B[31m\xFF\" AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
            "has a trigger, \"a?[31m?\""},
           {"PRAGMA user_version=3", "has format 3, expected 2"},
           {"PRAGMA application_id=1", "is not a store of results"}}) {
    INFO(sql);
    const SmallStore store;
    store.change(sql);
    CHECK_THAT(refusal([&] { answers(store.path()); }),
               Contains("r.sqlite: " + message) || Contains(message));
    CHECK_THAT(refusal([&] { known_to_sweeps(store.path()); }), Contains(message));
  }
}

TEST_CASE("a store stays valid after SQLite has rewritten it") {
  for (const char* sql : {"PRAGMA page_size=512; VACUUM", "PRAGMA page_size=1024; VACUUM",
                          "PRAGMA page_size=65536; VACUUM", "PRAGMA auto_vacuum=FULL; VACUUM",
                          "ANALYZE", "CREATE TABLE notes(text); CREATE VIEW mine AS SELECT 1"}) {
    INFO(sql);
    const SmallStore store;
    const std::string said = answers(store.path());
    const std::string known = known_to_sweeps(store.path());
    store.change(sql);
    CHECK(answers(store.path()) == said);
    CHECK(known_to_sweeps(store.path()) == known);
  }
}

TEST_CASE("a store without checksums is read, with a note, and merging makes one that has them") {
  const SmallStore store;
  const std::string said = answers(store.path());
  CHECK(ResultStore(store.path(), StoreUse::read).note().empty());
  store.forget_checksums();
  CHECK(answers(store.path()) == said);
  CHECK_THAT(ResultStore(store.path(), StoreUse::read).note(),
             Contains("has format 1, without checksums"));
  CHECK_THAT(refusal([&] { known_to_sweeps(store.path()); }), Contains("has format 1, expected 2"));
  forget_files_read();
  const MergeOutcome outcome = merge_stores(store.path("new.sqlite"), {store.path()});
  CHECK(outcome.notes.size() == 1);
  CHECK(ResultStore(store.path("new.sqlite"), StoreUse::sweep).note().empty());
  CHECK(answers(store.path("new.sqlite")) == said);
}

TEST_CASE("builds of one release work on one study, which names them all") {
  const TemporaryDirectory directory;
  StoredStudy study{
      .name = "s", .hash = "h", .points = 1, .faultline = "1.2.3+ga", .simgrid = "3.32"};
  ResultStore store((directory.path() / "r.sqlite").string(), StoreUse::sweep);
  const auto add = [&](const std::string& faultline, const std::string& simgrid = "3.32") {
    study.faultline = faultline;
    study.simgrid = simgrid;
    return store.add_study(study);
  };
  const std::int64_t first = add("1.2.3+ga");
  CHECK(add("1.2.3+gab-dirty") == first);
  CHECK(add("1.2.3") == first);
  CHECK(add("1.2.3+ga, 1.2.3+gb") == first);  // as another store has it
  const std::string all = "1.2.3+ga, 1.2.3+gab-dirty, 1.2.3, 1.2.3+gb";
  // Reading checks the checksum.
  REQUIRE(store.studies().size() == 1);
  CHECK(store.studies().front().faultline == all);
  for (const char* known : {"1.2.3+ga", "1.2.3+gab-dirty", "1.2.3", "1.2.3+gb"}) add(known);
  CHECK(store.studies().front().faultline == all);
  CHECK(add("1.2.30+ga") != first);
  CHECK(add("1.2.3+ga", "") != first);
  CHECK(store.studies().size() == 3);
}

TEST_CASE("a merged store says where builds of one release have worked on a study") {
  const TemporaryDirectory directory;
  const auto path = [&](const std::string& name) { return (directory.path() / name).string(); };
  std::int64_t number = 0;
  for (const std::string build : {"1+ga", "1+gb"}) {
    ResultStore store(path(build), StoreUse::sweep);
    store.add_study({.name = "s", .hash = "h", .points = 2, .faultline = build, .simgrid = ""});
    store.save(point_of(number++, "cda", 16, {10}));
  }
  forget_files_read();
  CHECK(merge_stores(path("one"), {path("1+ga"), path("1+ga")}).notes.empty());
  forget_files_read();
  const MergeOutcome outcome = merge_stores(path("both"), {path("1+ga"), path("1+gb")});
  REQUIRE(outcome.notes.size() == 1);
  CHECK_THAT(outcome.notes.front(),
             Contains("\"s\" has results by Faultline 1+ga, 1+gb, builds of"));
  forget_files_read();
  ResultStore merged(path("both"), StoreUse::read);
  CHECK(merged.studies().size() == 1);
  CHECK(merged.points(1).size() == 2);
}

TEST_CASE("a store has the name of a file") {
  const TemporaryDirectory directory;
  for (const std::string name : {"", ":memory:", "file:x.sqlite", "file:x?mode=memory",
                                 "file::memory:?cache=shared", "/dev/null", "/"}) {
    INFO(name);
    for (const StoreUse use : {StoreUse::read, StoreUse::sweep})
      CHECK_THROWS_AS(ResultStore(name, use), UsageError);
    CHECK_THROWS_AS(merge_stores(name, {name}), UsageError);
  }
  CHECK_THROWS_AS(ResultStore(std::string("a\0b", 3), StoreUse::sweep), UsageError);
  // Even one that SQLite has another meaning for.
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  Database(":memory:", true).execute("CREATE TABLE a(b)");
  std::filesystem::current_path(before);
  CHECK(std::filesystem::file_size(directory.path() / ":memory:") > 0);
}

TEST_CASE("whatever a worker prints is stored as text") {
  CHECK(storable("caf\xC3\xA9 \xF0\x9F\x92\xA5") == "caf\xC3\xA9 \xF0\x9F\x92\xA5");
  const std::string broken("a\0\xC3-\xED\xA0\x80\xF4\x90\x80\x80\xC0\xAF\xE2\x82", 15);
  CHECK(storable(broken) == "a" + std::string(2, '?') + "-" + std::string(11, '?'));
  const SmallStore store;
  StoredPoint point = point_of(4, "cda", 64, {});
  point.log = std::string("\x80 cut\0", 6);
  ResultStore(store.path(), StoreUse::sweep).save(point);
  ResultStore again(store.path(), StoreUse::read);
  CHECK(again.point(1, 4)->log == "? cut?");
}

TEST_CASE("a result gives way to one of more replications alone") {
  const SmallStore small;
  ResultStore store(small.path(), StoreUse::sweep);
  const auto runs = [&](std::int64_t point) { return store.point(1, point)->runs.size(); };
  store.save(point_of(0, "cda", 16, {10, 11, 12, 13}));
  CHECK(runs(0) == 4);
  store.save(point_of(0, "cda", 16, {10}));
  CHECK(runs(0) == 4);
  store.save(point_of(0, "cda", 16, {}));
  CHECK(runs(0) == 4);
  CHECK(store.failure_of(1, 0) == "");
  StoredPoint asked = point_of(0, "cda", 16, {10, 11, 12, 13});
  asked.scenario.set("replications", 4);
  store.save(asked);
  CHECK(asked_replications(*store.point(1, 0)) == 4);
  store.save(point_of(0, "cda", 16, {10, 11, 12, 13}));
  CHECK(asked_replications(*store.point(1, 0)) == 4);
  store.save(point_of(3, "hcda", 32, {40}));
  CHECK(runs(3) == 1);
  CHECK(store.failure_of(1, 3) == "");
}

TEST_CASE("the points of a study get other numbers together, or none does") {
  const SmallStore small;
  ResultStore store(small.path(), StoreUse::sweep);
  StoredStudy study = store.studies().front();
  study.hash = "another";
  CHECK_THROWS_AS(store.rewrite(study,
                                [](StoredPoint& point) -> bool {
                                  if (point.point == 2) throw UsageError("no");
                                  point.point += 10;
                                  return true;
                                }),
                  UsageError);
  CHECK(store.studies().front().hash == "h");
  CHECK(store.point(1, 0)->label == "termination=cda");
  store.rewrite(study, [](StoredPoint& point) {
    if (point.point < 2) point.point = 1 - point.point;
    if (point.point == 3) point.point = 8;
    return point.point != 2;
  });
  CHECK(store.studies().front().hash == "another");
  CHECK(store.studies().front().points == 9);
  std::vector<std::string> labels;
  for (const StoredPoint& point : store.points(1))
    labels.push_back(std::to_string(point.point) + " " + point.label + " " +
                     std::to_string(point.runs.size()));
  CHECK(labels == std::vector<std::string>{"0 termination=hcda 3", "1 termination=cda 3",
                                           "2 termination=cda 3", "8 termination=hcda 0"});
}

TEST_CASE("numbers change only while nobody relies on them") {
  const SmallStore small;
  forget_files_read();
  ResultStore ours(small.path(), StoreUse::read);
  ResultStore theirs(small.path(), StoreUse::read);
  CHECK(ours.use_numbers(NumbersUse::kept));
  CHECK(theirs.use_numbers(NumbersUse::kept));
  CHECK_FALSE(theirs.use_numbers(NumbersUse::changed));
  CHECK(ours.use_numbers(NumbersUse::none));
  CHECK(theirs.use_numbers(NumbersUse::changed));
  CHECK_FALSE(ours.use_numbers(NumbersUse::kept));
  CHECK(theirs.use_numbers(NumbersUse::kept));
  CHECK(ours.use_numbers(NumbersUse::kept));
}

TEST_CASE("points kept beside a study do not replace each other when stores are merged") {
  const SmallStore first;
  const SmallStore second;
  StoredPoint kept = point_of(6, "cda", 64, {1, 2});
  ResultStore(first.path(), StoreUse::sweep).save(kept);
  kept.scenario_hash = "hash of another scenario";
  ResultStore(second.path(), StoreUse::sweep).save(kept);
  forget_files_read();
  const MergeOutcome outcome =
      merge_stores(first.path("m.sqlite"), {first.path(), second.path(), second.path()});
  CHECK(outcome.points == 6);
  CHECK(outcome.duplicates == 7);
  ResultStore merged(first.path("m.sqlite"), StoreUse::read);
  CHECK(merged.studies().front().points == 8);
  CHECK(merged.point(1, 6)->scenario_hash == "hash of scenario 6");
  CHECK(merged.point(1, 7)->scenario_hash == "hash of another scenario");
}

TEST_CASE("of a point that several stores have, the longer result is kept if it begins alike") {
  const SmallStore longer;
  ResultStore(longer.path(), StoreUse::sweep).save(point_of(0, "cda", 16, {10, 11, 12, 13, 14}));
  const SmallStore shorter;
  for (const auto& stores : {std::vector<std::string>{longer.path(), shorter.path()},
                             std::vector<std::string>{shorter.path(), longer.path()}}) {
    forget_files_read();
    std::filesystem::remove(longer.path("m.sqlite"));
    merge_stores(longer.path("m.sqlite"), stores);
    CHECK(ResultStore(longer.path("m.sqlite"), StoreUse::read).point(1, 0)->runs.size() == 5);
  }
  const SmallStore other;
  ResultStore(other.path(), StoreUse::sweep).save(point_of(0, "cda", 16, {10, 11, 99, 13}));
  forget_files_read();
  CHECK_THAT(refusal([&] {
               merge_stores(longer.path("n.sqlite"), {shorter.path(), other.path()});
             }),
             Contains("differs from another store: replication 2 has other results"));
}
