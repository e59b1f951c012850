// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/store/sqlite.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::store {

struct StoreColumn {
  std::string name;
  std::string type;  ///< INTEGER, REAL or TEXT; never null
};

/// A table of a store. In the file, a column `checksum` follows these.
struct StoreTable {
  std::string name;
  std::vector<StoreColumn> columns;
  std::size_t keys = 0;     ///< number of the first columns that identify a row
  std::string constraints;  ///< in SQL, at the end of the statement that creates the table
};

/// The columns as a list in SQL, with the checksum if they have one.
std::string column_list(const StoreTable& table, bool with_checksum);

/// The SQL statement that creates a table.
std::string table_sql(const StoreTable& table);

/// A checksum of 64 bits (FNV-1a) over the values of a row. It changes if any single byte of the
/// row does.
class RowChecksum {
 public:
  void add(std::int64_t value);
  void add(double value);
  void add(const std::string& value);
  [[nodiscard]] std::int64_t value() const;

 private:
  std::string text_;
};

/// Reads the row that a statement over all columns is at, column by column in their order. A cell
/// with a wrong value is thrown as UsageError, with the file and the row.
class RowReader {
 public:
  /// `has_checksum`: true if the checksum is the last column.
  RowReader(const Statement& row, const StoreTable& table, std::string file, bool has_checksum);

  /// Reads a whole number within a range.
  std::int64_t whole(std::int64_t low = 0,
                     std::int64_t high = std::numeric_limits<std::int64_t>::max());
  /// Reads a number that is finite and not negative.
  double real();
  /// Reads a text in UTF-8 without zero bytes.
  std::string text();
  /// Includes the checksum of a row that belongs to this one in the checksum of this one.
  void cover(std::int64_t checksum) { checksum_.add(checksum); }
  /// Compares the checksum, when all columns have been read. Returns it, or 0 if there is none.
  /// Interpret the values only afterwards, so that damage is reported as damage.
  std::int64_t finish();

  /// Parses the text of a column as JSON.
  [[nodiscard]] json::JsonValue parsed(const std::string& text, const std::string& column) const;

  /// The place of the row for messages: "results.sqlite: runs: study 1, point 3, replication 0".
  [[nodiscard]] std::string place() const;
  /// Throws UsageError for an error of the row as a whole.
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  /// Goes to the next cell, which must be of this kind, and returns its index.
  int next(CellKind kind, const char* expected);
  [[noreturn]] void refuse_cell(int column, const std::string& why) const;

  const Statement& row_;
  const StoreTable& table_;
  std::string file_;
  bool has_checksum_;
  int taken_ = 0;
  RowChecksum checksum_;
};

/// Writes rows into a table, with their checksums.
class RowWriter {
 public:
  RowWriter(Database& database, const StoreTable& table);

  template <class Value>
  RowWriter& put(const Value& value) {
    checksum_.add(value);
    statement_.bind(value);
    return *this;
  }
  RowWriter& cover(std::int64_t checksum) {
    checksum_.add(checksum);
    return *this;
  }
  /// Writes the row; returns its checksum.
  std::int64_t finish();

 private:
  Statement statement_;
  RowChecksum checksum_;
};

/// A text as a store keeps it: with a question mark for each byte that is zero or not part of
/// UTF-8.
std::string storable(std::string text);

}  // namespace faultline::store
