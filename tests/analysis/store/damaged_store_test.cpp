// SPDX-License-Identifier: Apache-2.0

// Stores that another program, or a failing disk, has changed: every read is checked.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/store/merge.hpp"
#include "analysis/store/result_store.hpp"
#include "sim/core/file_roles.hpp"
#include "tests/analysis/store/small_store.hpp"

namespace faultline::store {

using Catch::Contains;

namespace {

/// What a sweep knows of a store that it goes on with.
std::string known_to_sweeps(const std::string& path) {
  forget_files_read();  // as another command
  ResultStore store(path, StoreUse::sweep);
  std::string text;
  for (const StoredStudy& study : store.studies()) text += study.name + study.hash + study.simgrid;
  for (std::int64_t point = 0; point < 6; ++point)
    text += store.failure_of(1, point).value_or("not there") + ";";
  for (const RunEnding& ending : store.endings(1))
    text += std::to_string(ending.point) + engine::outcome_word(ending.outcome) +
            (ending.violated ? "!" : "");
  return text;
}

std::string merged(const SmallStore& store) {
  forget_files_read();
  merge_stores(store.path("m.sqlite"), {store.path()});
  std::string text = answers(store.path("m.sqlite"));
  std::filesystem::remove(store.path("m.sqlite"));
  return text;
}

/// With one bit changed, a store gives the same answers as before, or is refused in words that name
/// it.
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
           {"UPDATE runs SET replication=1000000 WHERE point=2 AND replication=2",
            "replication: expected an integer from 0 to 999999, got 1000000"},
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
           {"UPDATE points SET label='' WHERE point=3", "points: study 1, point 3"},
           {"UPDATE points SET seed=8 WHERE point=0", "points: study 1, point 0"},
           {"UPDATE points SET wanted=4 WHERE point=0", "points: study 1, point 0"},
           {"UPDATE points SET failed_replication=4 WHERE point=3", "points: study 1, point 3"},
           {"UPDATE points SET runs_checksum=runs_checksum+1 WHERE point=0",
            "points: study 1, point 0"},
           {"UPDATE studies SET simgrid='3.33'", "studies: study 1"}}) {
    INFO(sql);
    const SmallStore store;
    store.change(sql);
    const std::string message = row + ": is damaged: its checksum does not match";
    CHECK_THAT(refusal([&] { answers(store.path()); }), Contains(message));
    CHECK_THAT(refusal([&] { known_to_sweeps(store.path()); }), Contains(message));
  }
}

TEST_CASE("a run that was taken away, added or exchanged does not fit the checksum of its point") {
  for (const char* sql :
       {"DELETE FROM runs WHERE point=2 AND replication=2",
        "DELETE FROM runs WHERE point=2 AND replication=0", "DELETE FROM runs WHERE point=2",
        "INSERT INTO runs SELECT study, point, 3, metrics, violations, events, wall_s, "
        "peak_rss_bytes, checksum FROM runs WHERE point=2 AND replication=2"}) {
    INFO(sql);
    const SmallStore store;
    store.change(sql);
    const std::string why = refusal([&] { answers(store.path()); });
    CHECK_THAT(why, Contains("point 2"));
    CHECK_THAT(why, Contains("the checksum of its runs does not match") ||
                        Contains("its checksum does not match") || Contains("has no runs"));
    CHECK_THAT(refusal([&] { known_to_sweeps(store.path()); }), Contains("point 2"));
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
           {"PRAGMA user_version=4", "has format 4, expected 3"},
           {"PRAGMA user_version=0", "has format 0, expected 3"},
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
  CHECK_THAT(refusal([&] { known_to_sweeps(store.path()); }), Contains("has format 1, expected 3"));
  forget_files_read();
  const MergeOutcome outcome = merge_stores(store.path("new.sqlite"), {store.path()});
  CHECK(outcome.notes.size() == 1);
  CHECK(ResultStore(store.path("new.sqlite"), StoreUse::sweep).note().empty());
  CHECK(answers(store.path("new.sqlite")) == said);
}

TEST_CASE("a store of whole points is read, and merging makes one that a sweep goes on with") {
  const SmallStore store;
  const std::string said = answers(store.path());
  store.forget_parts();
  CHECK(answers(store.path()) == said);
  CHECK(ResultStore(store.path(), StoreUse::read).note().empty());
  CHECK_THAT(refusal([&] { known_to_sweeps(store.path()); }),
             Contains("has format 2, expected 3; faultline merge NEW "));
  forget_files_read();
  merge_stores(store.path("new.sqlite"), {store.path()});
  {
    ResultStore merged(store.path("new.sqlite"), StoreUse::sweep);
    CHECK(is_whole(*merged.point(1, 0)));
    CHECK(merged.failure_of(1, 3) == "took longer than 1 s");
  }
  CHECK(answers(store.path("new.sqlite")) == said);
  store.change("DELETE FROM runs WHERE point=2 AND replication=2");
  CHECK_THAT(refusal([&] { answers(store.path()); }),
             Contains("points: study 1, point 2: is damaged: its checksum does not match"));
}

}  // namespace faultline::store
