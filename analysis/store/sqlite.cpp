// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/sqlite.hpp"

#include <sqlite3.h>

#include <exception>
#include <filesystem>
#include <utility>

#include "sim/core/error.hpp"

namespace faultline::store {

std::string plain_words(std::string words) {
  for (char& letter : words) {
    if (letter == '\n') letter = ' ';
    if (letter < ' ' || letter > '~') letter = '?';
  }
  return words;
}

Database::Database(std::string path, bool create) : path_(std::move(path)) {
  // SQLite gives ":memory:", "" and "file:..." special meanings, but no path that begins with "/".
  const std::string place = std::filesystem::absolute(path_).string();
  const int code = sqlite3_open_v2(
      place.c_str(), &handle_, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), nullptr);
  if (code != SQLITE_OK) {
    const std::string why = plain_words(sqlite3_errmsg(handle_));
    sqlite3_close(handle_);
    throw UsageError(path_ + ": cannot be opened: " + why);
  }
  sqlite3_extended_result_codes(handle_, 1);
  // Longer than any transaction of another sweep takes, even on a slow network.
  constexpr int kPatience_ms = 120000;
  sqlite3_busy_timeout(handle_, kPatience_ms);
  distrust();
}

Database::~Database() { sqlite3_close(handle_); }

void Database::distrust() {
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  for (const int feature :
       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
        SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_DQS_DML})
    sqlite3_db_config(handle_, feature, 0, nullptr);
  // Eight times the largest scenario. A false length in the file cannot ask for more memory.
  constexpr int kLongestCell_B = 128 << 20;
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kLongestCell_B);
  sqlite3_exec(handle_, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
}

void Database::fail(int code) const {
  const std::string why = plain_words(sqlite3_errmsg(handle_));
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
      throw UsageError(path_ + ": is not a store of results: it is not an SQLite file");
    // The SQL is correct, so the file must be wrong.
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
    case SQLITE_AUTH:
      throw UsageError(path_ + ": is damaged (" + why + ")" + kStoreRemedy);
    case SQLITE_READONLY:
      throw UsageError(path_ + ": cannot be written: " + why);
    case SQLITE_FULL:
      throw RunError(path_ + ": the disk is full");
    default:
      throw RunError(path_ + ": " + why);
  }
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  check(sqlite3_prepare_v2(database.handle_, sql.c_str(), -1, &handle_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

Statement& Statement::bind(const std::string& text) {
  check(sqlite3_bind_text64(handle_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  check(sqlite3_bind_int64(handle_, ++bound_, number));
  return *this;
}

Statement& Statement::bind(double number) {
  check(sqlite3_bind_double(handle_, ++bound_, number));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  check(sqlite3_reset(handle_));
  bound_ = 0;
}

CellKind Statement::kind(int column) const {
  switch (sqlite3_column_type(handle_, column)) {
    case SQLITE_INTEGER:
      return CellKind::integer;
    case SQLITE_FLOAT:
      return CellKind::real;
    case SQLITE_TEXT:
      return CellKind::text;
    case SQLITE_BLOB:
      return CellKind::blob;
    default:
      return CellKind::null;
  }
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const int size = sqlite3_column_bytes(handle_, column);
  return {bytes == nullptr ? "" : bytes, static_cast<std::size_t>(size)};
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

Transaction::Transaction(Database& database) : Transaction(database, "BEGIN IMMEDIATE") {
  // If a signal ended the process within a transaction, the next process would have to roll back
  // its journal.
  held_.emplace();
}

Transaction::Transaction(Database& database, const char* begin) : database_(&database) {
  database.execute(begin);
}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  try {
    database_->execute("ROLLBACK");
  } catch (const std::exception&) {
    // If the disk is full, SQLite has rolled back already.
  }
}

void Transaction::commit() {
  database_->execute("COMMIT");
  database_ = nullptr;
  held_.reset();
}

}  // namespace faultline::store
