// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/json_value.hpp"

namespace faultline::text {

/// The width of lines, in characters, if nothing else is known.
inline constexpr std::size_t kUsualWidth = 80;

enum class Align { left, right };

/// A column of a text table. A line break in `title` makes a header of several lines.
struct Column {
  std::string title;
  Align align = Align::right;  ///< right suits numbers
};

/// A table for people. Cells are text; every row has one for each column.
struct TextTable {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::size_t key_columns = 1;  ///< leftmost columns, repeated in each block of a wide table
};

/// Lays out `table` with two blanks between columns and a rule under the header. Columns that do
/// not fit into `max_width` characters go into further blocks, each of which repeats the key
/// columns. A single column wider than that stays whole. Every line ends in a line break, and none
/// in blanks before it. Characters that are not visible are replaced by `visible`
/// (sim/core/visible_text). Throws std::invalid_argument if a row does not have one cell for each
/// column.
std::string render(const TextTable& table, std::size_t max_width = kUsualWidth);

/// Breaks `text` at blanks into lines of at most `max_width` characters, each ended by a line
/// break. A longer word gets a line of its own. Control characters are replaced as in `render`.
std::string wrapped(std::string_view text, std::size_t max_width = kUsualWidth);

/// One CSV record, on one line. Control characters are replaced by `visible`. Fields with a comma
/// or a quote are quoted as in RFC 4180. Text that begins with =, +, - or @ and is not a number
/// gets an apostrophe before it, so that no spreadsheet takes it for a formula. The record ends in
/// a bare line feed, which every Unix tool expects.
std::string csv_record(const std::vector<std::string>& fields);
std::string csv_records(const std::vector<std::vector<std::string>>& records);

/// A value as a field of a CSV record. Null is empty. Truth values are TRUE and FALSE, the only
/// spelling that both R and pandas read.
std::string csv_field(const json::JsonValue& value);

/// `value` with `decimals` digits after the point.
std::string fixed(double value, int decimals);

/// `value` with two significant digits, as papers print them: `1.4e-4`, `0`, `1`.
std::string two_digits(double value);

}  // namespace faultline::text
