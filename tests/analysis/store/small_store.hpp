// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/report/study_page.hpp"
#include "analysis/store/comparison.hpp"
#include "analysis/store/comparison_table.hpp"
#include "analysis/store/result_store.hpp"
#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::store {

/// A run that ended well, or too early if `messages` is negative.
inline runs::RunRecord run_of(std::int64_t replication, double messages) {
  runs::RunRecord run;
  run.replication = replication;
  run.outcome = messages < 0 ? engine::Outcome::premature : engine::Outcome::terminated;
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

/// A point with a run for each of these counts of messages; one that failed if there is none.
inline StoredPoint point_of(std::int64_t number, const std::string& detector, int processes,
                            const std::vector<double>& messages) {
  StoredPoint point{
      .study = 1,
      .point = number,
      .hash = "hash of the point",
      .scenario_hash = "hash of scenario " + std::to_string(number),
      .engine = "loggp",
      .seed = 7,
      .label = "termination=" + detector,
      .parameters = {{"termination", json::json_object({{"name", detector}})},
                     {"platform.processes", processes}},
      .scenario = json::json_object({{"faults", json::json_object({{"at", json::JsonValue()}})}}),
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
    change("DROP VIEW results");
    for (const char* column :
         {"studies DROP COLUMN checksum", "points DROP COLUMN checksum",
          "points DROP COLUMN runs_checksum", "points DROP COLUMN wanted",
          "points DROP COLUMN failed_replication", "runs DROP COLUMN checksum"})
      change(std::string("ALTER TABLE ") + column);
    change("PRAGMA user_version=1");
  }

  /// As Faultline made stores before a point could have a part of its replications. A point's
  /// checksum then covered those of its runs, in their order.
  void forget_parts() const {
    change("DROP VIEW results");
    for (const char* column : {"runs_checksum", "wanted", "failed_replication"})
      change(std::string("ALTER TABLE points DROP COLUMN ") + column);
    Database database(path(), false);
    Statement points(database, "SELECT * FROM points ORDER BY point");
    std::vector<std::int64_t> checksums;
    while (points.step()) {
      RowChecksum checksum;
      for (int column = 0; column < 11; ++column)
        if (points.kind(column) == CellKind::integer)
          checksum.add(points.number(column));
        else
          checksum.add(points.text(column));
      Statement runs(database, "SELECT checksum FROM runs WHERE point=? ORDER BY replication");
      runs.bind(points.number(1));
      while (runs.step()) checksum.add(runs.number(0));
      checksums.push_back(checksum.value());
    }
    for (std::size_t point = 0; point < checksums.size(); ++point)
      Statement(database, "UPDATE points SET checksum=? WHERE point=?")
          .bind(checksums[point])
          .bind(static_cast<std::int64_t>(point))
          .run();
    database.execute("PRAGMA user_version=2");
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

/// The output of the verbs that read a store.
inline std::string answers(const std::string& path) {
  ResultStore store(path, StoreUse::read);
  auto points = select_points(store, {"point >= 0"});
  std::string text = rows_csv(run_rows(points)) +
                     rows_json(summary_rows(group_points(points, swept_paths(points)),
                                            swept_paths(points), metric_names(points)));
  for (const char* metric : {"control_messages", "terminated"}) {
    const ComparisonSettings settings{.by = {"termination"}, .metric = metric};
    text += comparison_table(compare(points, settings), settings);
  }
  drawing::HtmlPage page("report", "");
  for (const report::StudyReport& report :
       report::study_reports(std::move(points), {.store = "r", .conditions = {}, .metrics = {}}))
    report::add_study(page, report, "r", {});
  return text + page.text();
}

/// The message with which that is refused.
inline std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace faultline::store
