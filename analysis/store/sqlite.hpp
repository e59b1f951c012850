#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/interrupt.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace faultline {

/// An open SQLite database, whose content is trusted with nothing: no trigger or view of it is
/// carried out, and none of its expressions reaches beyond SQLite's own functions. What SQLite
/// refuses is thrown with the name of the file: UsageError where the file is the reason (damaged,
/// none of SQLite's), else RunError (disk full, busy).
class Database {
 public:
  /// Opens a file; one that is missing is made if `create`. No name stands for a database in
  /// memory.
  Database(std::string path, bool create);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Carries out statements that give no rows.
  void execute(const std::string& sql);

  /// The first column of the first row, as a whole number.
  std::int64_t number(const std::string& sql);

  /// Throws for an error code of SQLite.
  [[noreturn]] void fail(int code) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend class Statement;
  void distrust();

  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// What SQLite says of a file, on one line and in ASCII: it quotes from the file.
std::string plain_words(std::string words);

/// What a cell of a row is, whatever its column is declared as.
enum class CellKind { null, integer, real, text, blob };

/// A prepared statement; parameters and columns are counted from 0.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text);
  Statement& bind(std::int64_t number);
  Statement& bind(double number);

  /// The next row; false after the last one.
  bool step();
  /// Steps to the end and makes the statement ready to be bound anew.
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

/// Changes that are made whole or not at all: undone unless committed. Only one can be open at a
/// time among the processes that share a file.
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

/// While one of these lives, all that is read is of one moment.
class Snapshot : Transaction {
 public:
  explicit Snapshot(Database& database) : Transaction(database, "BEGIN") {}
};

}  // namespace faultline
