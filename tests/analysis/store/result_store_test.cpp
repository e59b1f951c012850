// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/result_store.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/store/merge.hpp"
#include "sim/core/error.hpp"
#include "tests/analysis/store/small_store.hpp"

namespace faultline::store {

using Catch::Contains;

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

namespace {

/// These replications of a point, with as many messages each as the point has then.
StoredPoint part_of(std::int64_t number, const std::vector<std::int64_t>& replications,
                    std::int64_t wanted) {
  StoredPoint part = point_of(number, "cda", 64, {0});
  part.runs.clear();
  for (const std::int64_t replication : replications)
    part.runs.push_back(run_of(replication, 100.0 + static_cast<double>(replication)));
  part.wanted = wanted;
  return part;
}

std::vector<std::int64_t> numbers_of(const StoredPoint& point) {
  std::vector<std::int64_t> numbers;
  for (const runs::RunRecord& run : point.runs) numbers.push_back(run.replication);
  return numbers;
}

/// All values of the table of points, as text.
std::string rows_of_points(const std::string& path) {
  Database database(path, false);
  Statement rows(database,
                 "SELECT quote(hash)||label||scenario||failure||log||wanted||'/'||"
                 "failed_replication||'/'||runs_checksum||'/'||checksum FROM points ORDER BY "
                 "study, point");
  std::string text;
  while (rows.step()) text += rows.text(0) + "\n";
  return text;
}

}  // namespace

TEST_CASE("the parts of a point make the same store in whatever order they come") {
  std::set<std::string> stores;
  std::vector<std::vector<std::int64_t>> parts = {{0, 1, 2}, {3, 4, 5}, {6, 9}};
  do {
    const SmallStore small;
    for (const auto& part : parts)
      ResultStore(small.path(), StoreUse::sweep).save(part_of(4, part, 8));
    ResultStore store(small.path(), StoreUse::read);
    CHECK(numbers_of(*store.point(1, 4)) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 9});
    stores.insert(rows_of_points(small.path()) + answers(small.path()));
  } while (std::next_permutation(parts.begin(), parts.end()));
  CHECK(stores.size() == 1);
}

TEST_CASE("a point is whole when it has all replications that it is to have") {
  const SmallStore small;
  ResultStore store(small.path(), StoreUse::sweep);
  store.save(part_of(4, {0, 2}, 3));
  CHECK_FALSE(is_whole(*store.point(1, 4)));
  CHECK(missing_runs(*store.point(1, 4)) == 1);
  store.save(part_of(4, {1}, 3));
  CHECK(is_whole(*store.point(1, 4)));
  CHECK(missing_runs(*store.point(1, 4)) == 0);
  // Beyond them there can be more, with gaps.
  store.save(part_of(4, {5}, 3));
  CHECK(is_whole(*store.point(1, 4)));
  CHECK(missing_runs(*store.point(1, 4)) == 2);
  store.save(part_of(4, {}, 7));
  CHECK_FALSE(is_whole(*store.point(1, 4)));
  CHECK(missing_runs(*store.point(1, 4)) == 3);
}

TEST_CASE("a part can be read alone, with what its runs imply") {
  const SmallStore small;
  ResultStore store(small.path(), StoreUse::sweep);
  CHECK_FALSE(store.part({.study = 1, .point = 5}));
  const auto part = store.part({.study = 1, .point = 1, .first = 1, .end = 3});
  REQUIRE(part);
  CHECK(numbers_of(*part) == std::vector<std::int64_t>{1, 2});
  CHECK(part->runs.front().number("completed") == 0.0);
  CHECK(part->runs.back().number("completed") == 1.0);
  CHECK(part->label == "termination=hcda");
}

TEST_CASE("the first failure is kept, and void once its replication is there") {
  const auto failed = [](std::int64_t replication, const std::string& why) {
    StoredPoint part = part_of(4, {}, 8);
    part.failure = why;
    part.failed_replication = replication;
    return part;
  };
  std::vector<StoredPoint> parts = {failed(3, "third"), failed(5, "fifth"),
                                    part_of(4, {0, 1, 7}, 8)};
  const auto is_before = [](const StoredPoint& a, const StoredPoint& b) {
    return std::tuple(a.failure, a.runs.size()) < std::tuple(b.failure, b.runs.size());
  };
  std::sort(parts.begin(), parts.end(), is_before);
  do {
    const SmallStore small;
    ResultStore store(small.path(), StoreUse::sweep);
    for (const StoredPoint& part : parts) store.save(part);
    CHECK(store.failure_of(1, 4) == "third");
    CHECK(store.point(1, 4)->failed_replication == 3);
    CHECK(numbers_of(*store.point(1, 4)) == std::vector<std::int64_t>{0, 1, 7});
    // The runs of a failed point do not count.
    for (const RunEnding& ending : store.endings(1)) CHECK(ending.point != 4);
    store.save(part_of(4, {3}, 8));
    CHECK(store.failure_of(1, 4) == "");
  } while (std::next_permutation(parts.begin(), parts.end(), is_before));
}

TEST_CASE("replications are claimed one by one") {
  const SmallStore small;
  forget_files_read();
  ResultStore ours(small.path(), StoreUse::read);
  ResultStore theirs(small.path(), StoreUse::read);
  CHECK(ours.claim({1, 2, 10, 20}));
  CHECK_FALSE(theirs.claim({1, 2, 19, 30}));
  CHECK_FALSE(theirs.claim({1, 2, 0, 11}));
  CHECK(theirs.claim({1, 2, 20, 30}));
  CHECK(theirs.claim({1, 3, 10, 20}));
  CHECK(theirs.claim({2, 2, 10, 20}));
  CHECK(theirs.claim({1, 1, 0, kMostReplications}));
  ours.release({1, 2, 10, 20});
  CHECK(theirs.claim({1, 2, 10, 20}));
}

TEST_CASE("stores of shards, each with parts of the points, are merged to the whole") {
  const SmallStore whole;
  ResultStore(whole.path(), StoreUse::sweep).save(part_of(4, {0, 1, 2, 3, 4, 5}, 6));
  const SmallStore first;
  ResultStore(first.path(), StoreUse::sweep).save(part_of(4, {0, 3, 4}, 6));
  const SmallStore second;
  ResultStore(second.path(), StoreUse::sweep).save(part_of(4, {1, 2, 5}, 6));
  for (const auto& stores : {std::vector<std::string>{first.path(), second.path()},
                             std::vector<std::string>{second.path(), first.path()}}) {
    forget_files_read();
    std::filesystem::remove(whole.path("m.sqlite"));
    // The other three points with results are in both.
    CHECK(merge_stores(whole.path("m.sqlite"), stores).duplicates == 3);
    CHECK(rows_of_points(whole.path("m.sqlite")) == rows_of_points(whole.path()));
  }
}

TEST_CASE("of a point, what is stored stays, and what it lacks is added") {
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
  const TemporaryDirectory directory;
  const std::string other = (directory.path() / "other.sqlite").string();
  {
    ResultStore store(other, StoreUse::sweep);
    store.add_study(
        {.name = "small", .hash = "h", .points = 6, .faultline = "1", .simgrid = "3.32"});
    store.save(point_of(0, "cda", 16, {10, 11, 99, 13}));
  }
  forget_files_read();
  CHECK_THAT(refusal([&] {
               merge_stores(longer.path("n.sqlite"), {shorter.path(), other});
             }),
             Contains("differs from another store: replication 2 has other results"));
}

}  // namespace faultline::store
