// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/store_row.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/fnv1a.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::store {

namespace {

/// The number of bytes of the UTF-8 character at this place; 0 if there is no valid one (Unicode
/// 15, table 3-7).
std::size_t size_of_character(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  return overlong || surrogate || (lead == 0xF4 && second > 0x8F) ? 0 : size;
}

bool is_storable(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = size_of_character(text, at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

std::string word_of(CellKind kind) {
  switch (kind) {
    case CellKind::integer:
      return "an integer";
    case CellKind::real:
      return "a number";
    case CellKind::text:
      return "a text";
    case CellKind::blob:
      return "bytes";
    case CellKind::null:
      break;
  }
  return "null";
}

}  // namespace

std::string column_list(const StoreTable& table, bool with_checksum) {
  std::string list;
  for (const StoreColumn& column : table.columns) list += (list.empty() ? "" : ", ") + column.name;
  return with_checksum ? list + ", checksum" : list;
}

std::string table_sql(const StoreTable& table) {
  std::string sql = "CREATE TABLE " + table.name + "(";
  for (const StoreColumn& column : table.columns)
    sql += column.name + " " + column.type + " NOT NULL, ";
  return sql + "checksum INTEGER NOT NULL, " + table.constraints;
}

// A letter for the type, and a length before each text, so that moving characters from one column
// to the next changes the checksum.
void RowChecksum::add(std::int64_t value) { text_ += "i" + std::to_string(value) + ";"; }

void RowChecksum::add(double value) {
  text_ += "r" + std::to_string(std::bit_cast<std::uint64_t>(value)) + ";";
}

void RowChecksum::add(const std::string& value) {
  text_ += "t" + std::to_string(value.size()) + ":" + value;
}

std::int64_t RowChecksum::value() const { return static_cast<std::int64_t>(fnv1a(text_)); }

RowReader::RowReader(const Statement& row, const StoreTable& table, std::string file,
                     bool has_checksum)
    : row_(row), table_(table), file_(std::move(file)), has_checksum_(has_checksum) {}

std::string RowReader::place() const {
  std::string place = file_ + ": " + table_.name + ":";
  for (std::size_t i = 0; i < table_.keys; ++i)
    place += (i == 0 ? " " : ", ") + table_.columns[i].name + " " +
             std::to_string(row_.number(static_cast<int>(i)));
  return place;
}

void RowReader::refuse(const std::string& why) const {
  throw UsageError(place() + ": " + why + kStoreRemedy);
}

void RowReader::refuse_cell(int column, const std::string& why) const {
  refuse(table_.columns[static_cast<std::size_t>(column)].name + ": " + why);
}

int RowReader::next(CellKind kind, const char* expected) {
  const int column = taken_++;
  const CellKind found = row_.kind(column);
  if (found != kind)
    refuse_cell(column, std::string("expected ") + expected + ", got " + word_of(found));
  return column;
}

std::int64_t RowReader::whole(std::int64_t low, std::int64_t high) {
  const int column = next(CellKind::integer, "an integer");
  const std::int64_t value = row_.number(column);
  if (value < low || value > high)
    refuse_cell(column, "expected an integer from " + std::to_string(low) + " to " +
                            std::to_string(high) + ", got " + std::to_string(value));
  checksum_.add(value);
  return value;
}

double RowReader::real() {
  const int column = next(CellKind::real, "a number");
  const double value = row_.real(column);
  if (!std::isfinite(value) || value < 0)
    refuse_cell(column, "expected a number of at least 0, got " + json::shortest(value));
  checksum_.add(value);
  return value;
}

std::string RowReader::text() {
  const int column = next(CellKind::text, "a text");
  std::string value = row_.text(column);
  if (!is_storable(value)) refuse_cell(column, "has a zero byte, or bytes that are not UTF-8");
  checksum_.add(value);
  return value;
}

json::JsonValue RowReader::parsed(const std::string& text, const std::string& column) const {
  json::Problems problems(place() + ": " + column);
  json::JsonValue json = json::parse_json(text, problems);
  problems.throw_if_any();
  return json;
}

std::int64_t RowReader::finish() {
  if (!has_checksum_) return 0;
  const int column = taken_;
  if (row_.kind(column) != CellKind::integer || row_.number(column) != checksum_.value())
    refuse("is damaged: its checksum does not match");
  return checksum_.value();
}

RowWriter::RowWriter(Database& database, const StoreTable& table)
    : statement_(database, [&] {
        std::string marks = "?";
        for (std::size_t i = 0; i < table.columns.size(); ++i) marks += ",?";
        return "INSERT INTO " + table.name + "(" + column_list(table, true) + ") VALUES(" + marks +
               ")";
      }()) {}

std::int64_t RowWriter::finish() {
  const std::int64_t checksum = checksum_.value();
  statement_.bind(checksum);
  statement_.run();
  checksum_ = {};
  return checksum;
}

std::string storable(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = size_of_character(text, at);
    if (size == 0) text[at] = '?';
    at += size == 0 ? 1 : size;
  }
  return text;
}

}  // namespace faultline::store
