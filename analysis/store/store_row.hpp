#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/store/sqlite.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

struct StoreColumn {
  std::string name;
  std::string type;  ///< INTEGER, REAL or TEXT; never null
};

/// A table of a store. In the file a column `checksum` follows these.
struct StoreTable {
  std::string name;
  std::vector<StoreColumn> columns;
  std::size_t keys = 0;     ///< so many columns, from the first one, name a row
  std::string constraints;  ///< in SQL, to the end of the statement that makes the table
};

/// The columns, with the checksum where they have one, as a list in SQL.
std::string column_list(const StoreTable& table, bool with_checksum);

/// The statement that makes a table.
std::string table_sql(const StoreTable& table);

/// 64 bits (FNV-1a) of the values of a row. Any byte of it that changes alone changes them.
class RowChecksum {
 public:
  void add(std::int64_t value);
  void add(double value);
  void add(const std::string& value);
  [[nodiscard]] std::int64_t value() const;

 private:
  std::string text_;
};

/// The row that a statement over all columns is at, read column by column in their order. What a
/// cell must not be is thrown as UsageError, with the file and the row.
class RowReader {
 public:
  /// `has_checksum`: the column follows the others.
  RowReader(const Statement& row, const StoreTable& table, std::string file, bool has_checksum);

  /// A whole number within a range.
  std::int64_t whole(std::int64_t low = 0,
                     std::int64_t high = std::numeric_limits<std::int64_t>::max());
  /// A number that is finite and not negative.
  double real();
  /// A text in UTF-8 without zero bytes.
  std::string text();
  /// The checksum covers this, too: that of a row which belongs to this one.
  void cover(std::int64_t checksum) { checksum_.add(checksum); }
  /// Compares the checksum, when all columns are read. Returns it, 0 without one. What a row says
  /// is interpreted afterwards, so that damage is called so.
  std::int64_t finish();

  /// The JSON that the text of a column is.
  [[nodiscard]] JsonValue parsed(const std::string& text, const std::string& column) const;

  /// "results.sqlite: runs: study 1, point 3, replication 0".
  [[nodiscard]] std::string place() const;
  /// Throws for what is wrong with the row as a whole.
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  /// Takes the next cell, which must be of this kind.
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
  /// `verb` is INSERT, or INSERT OR REPLACE.
  RowWriter(Database& database, const StoreTable& table, const std::string& verb = "INSERT");

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

/// A text as a store keeps it: a question mark for each byte that is zero or not part of UTF-8.
std::string storable(std::string text);

}  // namespace faultline
