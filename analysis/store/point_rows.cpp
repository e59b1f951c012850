// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/point_rows.hpp"

#include <limits>
#include <utility>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/store/store_tables.hpp"
#include "sim/core/error.hpp"
#include "sim/json/json_path.hpp"
#include "sim/json/problems.hpp"

namespace faultline::store {

bool RowFormat::has_checksums() const { return format >= kFirstWithChecksums; }

bool RowFormat::has_parts() const { return format >= kFirstWithParts; }

StoredPoint read_point(RowReader& row, PointColumns& columns, const RowFormat& format) {
  StoredPoint point;
  point.study = row.whole(1);
  point.point = row.whole();
  point.hash = row.text();
  point.scenario_hash = row.text();
  point.engine = row.text();
  point.seed = row.whole();
  point.label = row.text();
  columns.parameters = row.text();
  columns.scenario = row.text();
  point.failure = row.text();
  point.log = row.text();
  if (!format.has_parts()) return point;
  point.wanted = row.whole(0, kMostReplications);
  point.failed_replication = row.whole(0, kMostReplications);
  columns.runs_checksum = row.whole(std::numeric_limits<std::int64_t>::min());
  return point;
}

void derive(StoredPoint& point) {
  const runs::RunFrame frame = runs::frame_of(point.scenario);
  for (runs::RunRecord& run : point.runs) run.derived = runs::derived_metrics(run, frame);
}

void interpret(const PointColumns& columns, const RowReader& row, PointPart part,
               StoredPoint& point) {
  if (part == PointPart::checksums) return;
  if (point.engine != "loggp" && point.engine != "simgrid")
    row.refuse("engine: expected loggp or simgrid, got " + json::in_quotes(point.engine));
  json::JsonValue parameters = row.parsed(columns.parameters, "parameters");
  if (part == PointPart::all) point.scenario = row.parsed(columns.scenario, "scenario");
  if (parameters.object() == nullptr)
    row.refuse("parameters: expected an object, got " + json::describe(parameters));
  if (part == PointPart::all && point.scenario.object() == nullptr)
    row.refuse("scenario: expected an object, got " + json::describe(point.scenario));
  point.parameters = std::move(*parameters.object());
  for (const json::JsonMember& parameter : point.parameters)
    if (json::split_path(parameter.key).empty())
      row.refuse("parameters: " + json::in_quotes(parameter.key) + " is not a path");
  if (part != PointPart::all) return;
  derive(point);
}

RunOfPoint read_run(RowReader row, PointPart part) {
  RunOfPoint of;
  runs::RunRecord& run = of.run;
  row.whole(1);
  of.point = row.whole();
  run.replication = row.whole(0, kMostReplications - 1);
  const std::string metrics = row.text();
  const std::string violations = row.text();
  run.events = row.whole();
  run.wall_s = row.real();
  run.peak_rss_bytes = row.whole();
  of.checksum = row.finish();
  if (part != PointPart::all) return of;
  json::Problems problems(row.place());
  runs::read_metrics(row.parsed(metrics, "metrics"), run, problems);
  runs::read_violations(row.parsed(violations, "violations"), run, problems);
  problems.throw_if_any();
  return of;
}

RunsInOrder::RunsInOrder(Statement& rows, RowFormat format, PointPart part)
    : rows_(rows), format_(std::move(format)), part_(part) {
  advance();
}

void RunsInOrder::take(StoredPoint& point, RowReader& row, const PointColumns& columns) {
  std::int64_t runs = 0;
  std::uint64_t sum = 0;
  for (; next_ && next_->point == point.point; advance()) {
    if (!format_.has_parts()) {
      if (next_->run.replication != runs)
        row.refuse("is damaged: replication " + std::to_string(runs) + " is missing");
      row.cover(next_->checksum);
    }
    sum += static_cast<std::uint64_t>(next_->checksum);
    if (part_ == PointPart::all) point.runs.push_back(std::move(next_->run));
    ++runs;
  }
  if (next_ && next_->point < point.point) refuse();
  check_whole(point, runs, row);
  row.finish();
  if (!format_.has_parts())
    point.wanted = runs;
  else if (static_cast<std::int64_t>(sum) != columns.runs_checksum)
    row.refuse("is damaged: the checksum of its runs does not match");
}

void RunsInOrder::check_whole(const StoredPoint& point, std::int64_t runs,
                              const RowReader& row) const {
  if (runs == 0 && point.failure.empty()) row.refuse("has no runs");
  if (runs > 0 && !point.failure.empty() && !format_.has_parts())
    row.refuse("has failed, but has runs");
}

void RunsInOrder::finish() const {
  if (next_) refuse();
}

void RunsInOrder::advance() {
  next_.reset();
  if (rows_.step())
    next_ = read_run({rows_, runs_table(), format_.path, format_.has_checksums()}, part_);
}

void RunsInOrder::refuse() const {
  throw UsageError(format_.path + ": runs: point " + std::to_string(next_->point) +
                   ": is damaged: the store has no such point" + kStoreRemedy);
}

}  // namespace faultline::store
