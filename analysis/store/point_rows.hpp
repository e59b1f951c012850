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

/// How a store keeps its rows.
struct RowFormat {
  std::string path;  ///< of the store, for messages
  std::int64_t format = 0;

  [[nodiscard]] bool has_checksums() const;
  [[nodiscard]] bool has_parts() const;
};

/// The columns of a point that are not interpreted when they are read.
struct PointColumns {
  std::string parameters;
  std::string scenario;
  std::int64_t runs_checksum = 0;  ///< the sum of the checksums of its runs, modulo 2^64
};

/// Reads the other columns of a point; its runs are read later.
StoredPoint read_point(RowReader& row, PointColumns& columns, const RowFormat& format);

/// Interprets the texts, as far as `part` asks for them, after the row's checksum has been
/// compared, and derives what belongs to its runs.
void interpret(const PointColumns& columns, const RowReader& row, PointPart part,
               StoredPoint& point);

/// Derives from the scenario of a point what a store does not keep of its runs.
void derive(StoredPoint& point);

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
  RunsInOrder(Statement& rows, RowFormat format, PointPart part);

  /// Moves the runs of a point into it, after its columns have been read, and compares the
  /// checksums of all. In older stores, a point must have its replications without a gap or, if it
  /// failed, none.
  void take(StoredPoint& point, RowReader& row, const PointColumns& columns);

  /// When all points have been read: no run may be left.
  void finish() const;

 private:
  void advance();
  void check_whole(const StoredPoint& point, std::int64_t runs, const RowReader& row) const;
  [[noreturn]] void refuse() const;

  Statement& rows_;
  RowFormat format_;
  PointPart part_;
  std::optional<RunOfPoint> next_;
};

}  // namespace faultline::store
