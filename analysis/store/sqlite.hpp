// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/interrupt.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace faultline::store {

/// The end of messages that refuse a damaged store.
inline constexpr const char* kStoreRemedy = "; use a copy of the store, or start a new one";

/// An open SQLite database. Its content is not trusted: none of its triggers and views is run, and
/// its expressions can use only SQLite's own functions. An error of SQLite is thrown with the name
/// of the file: as UsageError if the file is the reason (damaged, not SQLite's), else as RunError
/// (disk full, busy).
class Database {
 public:
  /// Opens a file. Creates it if it is missing and `create` is set. A name such as ":memory:" means
  /// a file, too.
  Database(std::string path, bool create);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements that give no rows.
  void execute(const std::string& sql);

  /// The first column of the first row, as a whole number.
  std::int64_t number(const std::string& sql);

  /// Throws the exception for an error code of SQLite.
  [[noreturn]] void fail(int code) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend class Statement;
  void distrust();

  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A message of SQLite about a file, on one line and in ASCII, since it may quote from the file.
std::string plain_words(std::string words);

/// The kind of value that a cell of a row actually holds, whatever type its column was declared
/// with.
enum class CellKind { null, integer, real, text, blob };

/// A prepared statement. Parameters and columns are counted from 0.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text);
  Statement& bind(std::int64_t number);
  Statement& bind(double number);

  /// Goes to the next row; returns false after the last one.
  bool step();
  /// Runs the statement to its end, and makes it ready to be bound again.
  void run();

  [[nodiscard]] CellKind kind(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] double real(int column) const;

 private:
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
};

/// Changes that are made completely or not at all; they are undone unless committed. Among the
/// processes that share a file, only one can have a transaction open at a time.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 protected:
  Transaction(Database& database, const char* begin);

 private:
  Database* database_;
  std::optional<SignalsHeld> held_;
};

/// While a snapshot lives, all reads see the store as of one moment.
class Snapshot : Transaction {
 public:
  explicit Snapshot(Database& database) : Transaction(database, "BEGIN") {}
};

}  // namespace faultline::store
