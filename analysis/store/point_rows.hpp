// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/store/sqlite.hpp"
#include "analysis/store/store_row.hpp"
#include "analysis/store/stored_point.hpp"

namespace faultline::store {

/// The parts of points to read. In any case the checksums of their rows and of those of their runs
/// are compared.
enum class PointPart {
  checksums,   ///< nothing more: the JSON is not read
  parameters,  ///< all but `scenario` and `runs`
  all,
};

/// Two columns of a point, before they are interpreted.
struct PointTexts {
  std::string parameters;
  std::string scenario;
};

/// Reads the other columns of a point; its runs are read later.
StoredPoint read_point(RowReader& row, PointTexts& texts);

/// Interprets the two columns, as far as `part` asks for them, after the row's checksum has been
/// compared. Derives from its scenario what a store does not keep of its runs.
void interpret(const PointTexts& texts, const RowReader& row, PointPart part, StoredPoint& point);

/// A run with its checksum, and the number of its point.
struct RunOfPoint {
  std::int64_t point = 0;
  runs::RunRecord run;
  std::int64_t checksum = 0;
};

/// Reads a row of the table of runs.
RunOfPoint read_run(RowReader row, PointPart part);

/// Reads the runs of many points, which come in the order of the points.
class RunsInOrder {
 public:
  RunsInOrder(Statement& rows, std::string path, bool has_checksums, PointPart part);

  /// Moves the runs of a point into it. A point must have all its replications or, if it failed,
  /// none.
  void take(StoredPoint& point, RowReader& row);

  /// When all points have been read: no run may be left.
  void finish() const;

 private:
  void advance();
  [[noreturn]] void refuse() const;

  Statement& rows_;
  std::string path_;
  bool has_checksums_;
  PointPart part_;
  std::optional<RunOfPoint> next_;
};

}  // namespace faultline::store
