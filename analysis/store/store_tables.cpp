// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/store_tables.hpp"

namespace faultline::store {

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

const StoreTable& points_table(std::int64_t format) {
  static const StoreTable whole_points = {.name = "points",
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
  static const StoreTable table = [] {
    StoreTable with_parts = whole_points;
    for (const char* name : {"wanted", "failed_replication", "runs_checksum"})
      with_parts.columns.push_back({name, "INTEGER"});
    return with_parts;
  }();
  return format < kFirstWithParts ? whole_points : table;
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

std::array<const StoreTable*, 3> store_tables(std::int64_t format) {
  return {&studies_table(), &points_table(format), &runs_table()};
}

const char* results_view_sql() {
  return R"(
CREATE VIEW results AS
  SELECT study, point, replication, name, label, scenario_hash, engine, seed, faultline, simgrid,
         json_extract(metrics, '$.outcome') AS outcome, metrics, violations, events, wall_s,
         peak_rss_bytes
  FROM runs JOIN points USING (study, point) JOIN studies USING (study);
)";
}

}  // namespace faultline::store
