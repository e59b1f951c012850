// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/wide_rows.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/store/units_view.hpp"
#include "tests/analysis/store/hand_made_store.hpp"

namespace faultline::store {

using Catch::Contains;

namespace {

std::vector<std::string> columns_of(const Row& row) {
  std::vector<std::string> columns;
  columns.reserve(row.size());
  for (const json::JsonMember& cell : row) columns.push_back(cell.key);
  return columns;
}

json::JsonValue::Object with_credit(int credit, int processes) {
  return {{"termination", json::json_object({{"name", "cda"}, {"initial_credit", credit}})},
          {"platform.processes", processes}};
}

}  // namespace

TEST_CASE("a wide row has a cell for each swept value, and is empty where a point has none") {
  HandMadeStore store;
  store.add(with_credit(64, 16), {1, 2, 3});
  store.add(swept("hcda", 16), {5, -5});
  const auto points = store.points();
  const std::vector<std::string> paths = {"termination", "platform.processes"};
  const auto rows = wide_rows(group_points(points, paths), paths, {"control_messages"});
  REQUIRE(rows.size() == 2);
  CHECK(columns_of(rows[0]) ==
        std::vector<std::string>{"termination", "termination.initial_credit", "platform.processes",
                                 "points", "failed_points", "cut_off", "control_messages",
                                 "control_messages_low", "control_messages_high",
                                 "control_messages_count"});
  CHECK(columns_of(rows[1]) == columns_of(rows[0]));
  const std::string csv = rows_csv(rows);
  // Student's t of 2 degrees of freedom is 4.3027, the deviation 1: 2 -+ 2.484.
  CHECK_THAT(csv, Contains("\ncda,64,16,1,0,0,2,-0.484") && Contains("4.484") &&
                      Contains("\nhcda,,16,1,0,0,5,5,5,2\n"));
}

TEST_CASE("a wide row of a group counts its points, and the runs that were cut off") {
  HandMadeStore store;
  store.add_runs(swept("cda", 16), {ended_run(0, engine::Outcome::terminated, 10),
                                    ended_run(1, engine::Outcome::limit, 5)});
  store.add_failed(swept("cda", 64), "took longer than 4 s");
  const auto points = store.points();
  const auto rows =
      wide_rows(group_points(points, {"termination"}), {"termination"}, {"control_messages"});
  REQUIRE(rows.size() == 1);
  CHECK_THAT(rows_csv(rows), Contains("\ncda,2,1,1,7.5,,,2\n"));
}

TEST_CASE("wide rows of runs have the cells of their points before the outcome") {
  HandMadeStore store;
  store.add(with_credit(64, 16), {1, 2});
  store.add_failed(with_credit(8, 64), "took longer than 4 s");
  store.add(swept("hcda", 16), {5});
  const auto points = store.points();
  const auto rows = wide_run_rows(points);
  const auto plain = run_rows(points);
  REQUIRE(rows.size() == 3);
  for (const Row& row : rows) {
    const auto columns = columns_of(row);
    CHECK(columns == columns_of(rows[0]));
    const std::vector<std::string> cells(columns.begin() + 9, columns.begin() + 13);
    CHECK(cells == std::vector<std::string>{"termination", "termination.initial_credit",
                                            "platform.processes", "outcome"});
    CHECK(columns.size() == plain[0].size() + 1);
  }
  CHECK_THAT(rows_csv(rows),
             Contains(",cda,64,16,terminated,") && Contains(",hcda,,16,terminated,"));
  CHECK(wide_run_rows({}).empty());
}

TEST_CASE("the view of units has seconds and bytes, and nothing without a unit") {
  const std::string sql = units_view_sql();
  CHECK_THAT(sql, Contains("('end_time_s', 's')") && Contains("('wall_s', 's')") &&
                      Contains("('peak_rss_bytes', 'B')") && !Contains("'control_messages'") &&
                      !Contains("''"));
}

}  // namespace faultline::store
