// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/cut_off.hpp"
#include "analysis/statistics/strata.hpp"
#include "analysis/statistics/summary.hpp"
#include "analysis/store/result_store.hpp"
#include "analysis/text/summary_text.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/json/json_path.hpp"

namespace faultline::store {

/// A stored point with everything that a query can name. A failed point has no runs here.
struct SelectedPoint {
  StoredPoint stored;
  StoredStudy study;
  json::JsonValue values;        ///< the resolved scenario, plus study, point and failure
  std::size_t missing_runs = 0;  ///< replications that the store lacks

  /// The value at a path. A swept path has the value of the scenario file; all others are from the
  /// resolved scenario.
  [[nodiscard]] const json::JsonValue* at(const json::JsonPath& path) const;
};

/// The points of a store that satisfy all conditions, in order (docs/sweeps.md describes the
/// conditions). Throws UsageError for a condition that cannot be read, and for one with a path that
/// neither a scenario could state nor any point of the store has.
std::vector<SelectedPoint> select_points(ResultStore& store,
                                         const std::vector<std::string>& conditions);

/// Throws UsageError for the first of these paths that neither a scenario could state nor any of
/// the points has. `option` is "VERB: --OPTION".
void check_paths(const std::string& option, const std::vector<std::string>& paths,
                 const std::vector<SelectedPoint>& points);

/// The paths of everything that was swept in some of these points, in order. `study` comes first if
/// there are several studies.
std::vector<std::string> swept_paths(const std::vector<SelectedPoint>& points);

/// True if all these points have the same value at a path.
bool has_one_value(const std::vector<SelectedPoint>& points, const std::string& path);

/// The swept paths with one value at all these points, for tables to say once: "engine=loggp;
/// seed=3"; "" for none.
std::string common_values(const std::vector<SelectedPoint>& points);

/// A value of a point as a cell of a table: a number or text. An object with no member but its name
/// becomes that name. Null if the point has no such value.
json::JsonValue cell_at(const SelectedPoint& point, const std::string& path);

/// The value of a point at a path for people: "cda, initial_credit 1024", "0.01", "-" for none.
std::string words_at(const SelectedPoint& point, const std::string& path);

/// A record of named values, in the order of its columns.
using Row = json::JsonValue::Object;

/// One row for each replication: identity, swept values, metrics, performance.
std::vector<Row> run_rows(const std::vector<SelectedPoint>& points);

/// Points that have equal values at some paths.
struct PointGroup {
  std::vector<json::JsonValue> key;  ///< a cell for each path
  std::vector<const SelectedPoint*> points;
};

/// The points in groups, in the order of their first points. `points` must outlive them.
std::vector<PointGroup> group_points(const std::vector<SelectedPoint>& points,
                                     const std::vector<std::string>& paths);

/// The values of a metric over the replications of a group.
struct GroupSample {
  std::vector<double> values;
  statistics::StratifiedSample strata;  ///< of these values, if their runs have any
  std::size_t cut_off = 0;              ///< number of values from runs that were cut off at a limit
};

/// The sample of a metric over the replications of a group, without failed points. Points of one
/// seed share their random numbers, so their mean is a single value of the sample, for each
/// replication that all of them have. A point that failed because memory ran out has completed none
/// of these replications; alone, it counts as one. Throws UsageError if points of one seed have
/// different strata.
GroupSample sample(const PointGroup& group, const std::string& metric);

/// True if the faults of some of these runs are sampled by strata.
bool sampled_by_strata(const std::vector<SelectedPoint>& points);

/// Summarises that sample by the type of the metric. Marks it if it has runs that were cut off.
statistics::Summary summarize(const PointGroup& group, const std::string& metric);

/// The unit in which to print the means of all groups.
text::TimeUnit unit_of(const std::vector<PointGroup>& groups, const std::string& metric);

/// The reasons why runs of these points were fatal (analysis/runs/fatal_reasons); "" if none was. A
/// page must escape this text like any other.
std::string fatal_reasons(const std::vector<SelectedPoint>& points);
std::string fatal_reasons(const PointGroup& group);

/// The number of runs of a group that should meet drawn or recorded faults, if none of them met
/// one; else 0.
std::size_t spared_runs(const PointGroup& group);

/// Names the groups with spared_runs(), each with its values at these paths, as lines; "" if there
/// are none.
std::string spared_groups(const std::vector<PointGroup>& groups,
                          const std::vector<std::string>& paths);

/// The number of runs of these points, and how many of them were cut off.
runs::RunCount run_count(const std::vector<SelectedPoint>& points);

/// How many replications these points still lack, in a sentence without its full stop; "" if none.
std::string missing_note(const std::vector<SelectedPoint>& points);

/// The names of all metrics that are not text, sorted.
std::vector<std::string> metric_names(const std::vector<SelectedPoint>& points);

/// The metrics that are shown where nobody names any: those of the families that matter
/// (analysis/runs/usual_metrics), if they tell something.
std::vector<std::string> usual_metrics(const std::vector<SelectedPoint>& points);

/// One row for each group and metric: paths, metric, points, failed_points, count, mean,
/// standard_deviation, low, high, min, max, cut_off, bound.
std::vector<Row> summary_rows(const std::vector<PointGroup>& groups,
                              const std::vector<std::string>& paths,
                              const std::vector<std::string>& metrics);

/// Rows as a JSON list of objects, one per line. All rows have the same columns.
std::string rows_json(const std::vector<Row>& rows);

/// Rows as CSV with a header. Null is an empty field.
std::string rows_csv(const std::vector<Row>& rows);

/// Rows in the format "json" or "csv".
std::string rows_text(const std::vector<Row>& rows, const std::string& format);

/// A cell as text that tells values apart, "-" for null.
std::string cell_text(const json::JsonValue& cell);

/// A path as the title of a column, in a line for each part: "platform.\nprocesses".
std::string path_title(const std::string& path);

/// The leftmost columns of a table for people.
struct KeyColumns {
  std::string legend;  ///< explains the numbers of lines; "" if the columns have values
  std::vector<text::Column> columns;
  std::vector<std::vector<std::string>> cells;  ///< of each line
};

/// Makes columns of the values of some paths in words. If these would take more than half of the
/// table's width, lines get numbers instead. Each line stands for one of the points.
KeyColumns key_columns(const std::vector<std::string>& paths,
                       const std::vector<const SelectedPoint*>& lines,
                       std::size_t table_width = text::kUsualWidth);

}  // namespace faultline::store
