// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/wide_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace faultline::store {

namespace {

/// Adds what a value has as cells: the members of an object by their paths, its name by the path of
/// the object. A path that has a cell already keeps it.
void add_cells(const std::string& path, const json::JsonValue& value, Row& cells) {
  if (const json::JsonValue::Object* object = value.object()) {
    for (const json::JsonMember& member : *object)
      add_cells(member.key == "name" ? path : path + "." + member.key, member.value, cells);
    return;
  }
  if (std::any_of(cells.begin(), cells.end(),
                  [&](const json::JsonMember& cell) { return cell.key == path; }))
    return;
  cells.push_back({path, value.list() == nullptr ? value : json::JsonValue(json::to_json(value))});
}

/// The cells of a point's values at some paths, in the same columns for all points.
class ValueColumns {
 public:
  ValueColumns(const std::vector<std::string>& paths,
               const std::vector<const SelectedPoint*>& points)
      : paths_(paths) {
    for (const std::string& path : paths_)
      for (const SelectedPoint* point : points) {
        Row cells;
        add_at(path, *point, cells);
        for (const json::JsonMember& cell : cells) add_column(cell.key);
      }
  }

  [[nodiscard]] Row of(const SelectedPoint& point) const {
    Row found;
    for (const std::string& path : paths_) add_at(path, point, found);
    Row row;
    for (const std::string& column : columns_) {
      const auto cell =
          std::find_if(found.begin(), found.end(),
                       [&](const json::JsonMember& member) { return member.key == column; });
      row.push_back({column, cell == found.end() ? json::JsonValue() : cell->value});
    }
    return row;
  }

 private:
  static void add_at(const std::string& path, const SelectedPoint& point, Row& cells) {
    if (const json::JsonValue* value = point.at(json::split_path(path)))
      add_cells(path, *value, cells);
  }

  void add_column(const std::string& column) {
    if (std::find(columns_.begin(), columns_.end(), column) == columns_.end())
      columns_.push_back(column);
  }

  std::vector<std::string> paths_;
  std::vector<std::string> columns_;
};

json::JsonValue cell_of(const std::optional<double>& value) {
  return value ? json::JsonValue(*value) : json::JsonValue();
}

void append_metric(const PointGroup& group, const std::string& metric, Row& row) {
  const statistics::Summary summary = summarize(group, metric);
  const auto& interval = summary.confidence_95;
  row.push_back({metric, cell_of(summary.mean)});
  row.push_back({metric + "_low", interval ? json::JsonValue(interval->low) : json::JsonValue()});
  row.push_back({metric + "_high", interval ? json::JsonValue(interval->high) : json::JsonValue()});
  row.push_back({metric + "_count", static_cast<std::int64_t>(summary.count)});
}

/// The numbers of a group that are the same for all metrics.
void append_counts(const PointGroup& group, Row& row) {
  std::int64_t failed = 0;
  runs::RunCount runs;
  for (const SelectedPoint* point : group.points) {
    failed += point->stored.failure.empty() ? 0 : 1;
    for (const runs::RunRecord& run : point->stored.runs) runs.add(run.outcome);
  }
  row.push_back({"points", static_cast<std::int64_t>(group.points.size())});
  row.push_back({"failed_points", failed});
  row.push_back({"cut_off", static_cast<std::int64_t>(runs.cut_off)});
}

}  // namespace

std::vector<Row> wide_rows(const std::vector<PointGroup>& groups,
                           const std::vector<std::string>& paths,
                           const std::vector<std::string>& metrics) {
  std::vector<const SelectedPoint*> firsts;
  firsts.reserve(groups.size());
  for (const PointGroup& group : groups) firsts.push_back(group.points.front());
  const ValueColumns values(paths, firsts);
  std::vector<Row> rows;
  for (const PointGroup& group : groups) {
    Row& row = rows.emplace_back(values.of(*group.points.front()));
    append_counts(group, row);
    for (const std::string& metric : metrics) append_metric(group, metric, row);
  }
  return rows;
}

std::vector<Row> wide_run_rows(const std::vector<SelectedPoint>& points) {
  std::vector<Row> rows = run_rows(points);
  if (rows.empty()) return rows;
  std::vector<std::string> paths = swept_paths(points);
  // What every row has in any case.
  std::erase_if(paths, [](const std::string& path) {
    return path == "study" || path == "engine" || path == "seed";
  });
  std::vector<const SelectedPoint*> all;
  all.reserve(points.size());
  for (const SelectedPoint& point : points) all.push_back(&point);
  const ValueColumns values(paths, all);
  auto row = rows.begin();
  for (const SelectedPoint& point : points) {
    const Row cells = values.of(point);
    for (std::size_t run = 0; run < point.stored.runs.size(); ++run, ++row) {
      std::erase_if(*row, [&](const json::JsonMember& member) {
        return std::find(paths.begin(), paths.end(), member.key) != paths.end();
      });
      const auto outcome =
          std::find_if(row->begin(), row->end(),
                       [](const json::JsonMember& member) { return member.key == "outcome"; });
      row->insert(outcome, cells.begin(), cells.end());
    }
  }
  return rows;
}

}  // namespace faultline::store
