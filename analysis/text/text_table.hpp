#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/json_value.hpp"

namespace faultline {

/// Lines of text are this wide where nothing else is known.
inline constexpr std::size_t kUsualWidth = 80;

enum class Align { left, right };

/// A column of a text table. A line break in `title` makes a header of several lines.
struct Column {
  std::string title;
  Align align = Align::right;  ///< numbers are read from the right
};

/// A table for people: cells are text, one per column in every row.
struct TextTable {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::size_t key_columns = 1;  ///< leftmost columns, repeated where a wide table is broken
};

/// Lays `table` out with two blanks between columns and a rule under the header. Columns that do
/// not fit into `max_width` characters follow in further blocks, each with the key columns again; a
/// single column wider than that is kept whole. Every line ends in a line break, none in blanks.
/// Text is shown as `visible` has it (sim/core/visible_text). Throws std::invalid_argument when a
/// row has another number of cells than there are columns.
std::string render(const TextTable& table, std::size_t max_width = kUsualWidth);

/// `text` broken at blanks into lines of at most `max_width` characters, each ended by a line
/// break; a longer word stands alone on its line. Control characters are shown as by `render`.
std::string wrapped(std::string_view text, std::size_t max_width = kUsualWidth);

/// One CSV record, which is one line: control characters stand as `visible` has them, fields with
/// comma or quote are quoted as RFC 4180 says, and text that a spreadsheet would take for a formula
/// (it begins with =, +, - or @ and is no number) has an apostrophe before it. The record ends in a
/// bare line feed, as every Unix tool expects.
std::string csv_record(const std::vector<std::string>& fields);
std::string csv_records(const std::vector<std::vector<std::string>>& records);

/// A value as a field of such a record: null is empty, and truth is TRUE or FALSE, the only
/// spelling that both R and pandas read.
std::string csv_field(const JsonValue& value);

/// `value` with `decimals` digits after the point.
std::string fixed(double value, int decimals);

/// `value` with two significant digits as papers print them: `1.4e-4`, `0`, `1`.
std::string two_digits(double value);

}  // namespace faultline
