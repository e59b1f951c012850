// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/faults/fault_trace.hpp"
#include "sim/faults/trace_fields.hpp"

namespace faultline::faults {

/// Reads failures from a table as people keep them: fields with commas, and a first line that names
/// the columns. `node` and `down` (or `time`) are needed, `up` (or `repaired`) and `system` may be
/// there, in any order; other columns are ignored. Times are numbers, or of ISO 8601. The name of a
/// column of times may end in the unit of its numbers (`down_h`); without one they are seconds.
/// The first record decides whether times are numbers, and whether nodes are; then all are.
class TableTrace {
 public:
  /// Nothing if this line does not name such columns. Throws UsageError if it names some of them,
  /// and one that is needed is missing.
  static std::optional<TableTrace> begin(std::string_view header, const std::string& file);

  /// Reads a line. Nodes have no numbers yet.
  LineResult read(std::string_view line);

  /// Numbers the nodes of these records, which are all that have been read, in that order. Nodes
  /// whose names are numbers have these. Other names are numbered from 0 on, in an order in which
  /// `n10` comes after `n9`.
  void number_nodes(std::vector<FaultRecord>& records) const;

 private:
  enum Role : std::size_t { node, down, up, system, roles };
  struct Column {
    std::optional<std::size_t> place;
    double unit_s = 1.0;  ///< of the numbers in a column of times
  };

  struct Time {
    double s = 0.0;
    bool is_iso = false;
  };

  static std::optional<std::pair<Role, double>> role_of(std::string_view title);
  void refuse_misnamed_units(const std::vector<std::string>& titles, const std::string& file) const;
  static void refuse_other_separators(std::string_view header, const std::string& file);
  static std::optional<Time> time_in(std::string_view text, const Column& column);
  static std::string refusal(const Time& time, std::optional<bool> other);
  static std::string refusal(std::string_view node, std::optional<bool> numbers);

  std::size_t fields_ = 0;
  std::array<Column, roles> columns_;
  std::vector<std::string> names_;  ///< of the nodes of all records so far
  // Of the records so far; nothing if there are none.
  std::optional<bool> has_numbers_;
  std::optional<bool> has_iso_times_;
};

}  // namespace faultline::faults
