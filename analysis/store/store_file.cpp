// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/store_file.hpp"

#include <bit>
#include <filesystem>
#include <fstream>

#include "analysis/store/store_row.hpp"
#include "sim/core/error.hpp"
#include "sim/core/missing_folder.hpp"
#include "sim/json/problems.hpp"

namespace faultline::store {

namespace {

constexpr std::size_t kHeader_B = 100;

/// The first bytes of a file, and spaces if it is shorter.
std::string header_of(const std::string& path) {
  std::string header(kHeader_B, ' ');
  std::ifstream(path, std::ios::binary).read(header.data(), kHeader_B);
  return header;
}

bool has_magic(const std::string& header) {
  return header.starts_with(std::string("SQLite format 3\0", 16));
}

/// Two bytes as a big-endian number.
unsigned number_at(const std::string& bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]) * 256U + static_cast<unsigned char>(bytes[at + 1]);
}

/// Refuses a file that was cut off. SQLite would take a file that ends within its first page for an
/// empty one and start anew in it, and one that ends within its last page for a complete one. If
/// there is a journal, SQLite can restore the file.
void refuse_cut_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size_B = std::filesystem::file_size(path, error);
  if (error || size_B == 0) return;
  for (const char* journal : {"-journal", "-wal"})
    if (std::filesystem::exists(path + journal, error)) return;
  const std::string header = header_of(path);
  if (!has_magic(header))
    throw UsageError(path + ": is not a store of results: it is not an SQLite file");
  const unsigned page = number_at(header, 16);
  const unsigned page_B = page == 1 ? 65536 : page;
  // The versions of the file format for writing and for reading.
  const bool known = number_at(header, 18) == 0x0101 || number_at(header, 18) == 0x0202;
  if (page_B < 512 || !std::has_single_bit(page_B) || !known)
    throw UsageError(path + ": is damaged (its header makes no sense)" + kStoreRemedy);
  if (size_B % page_B != 0)
    throw UsageError(path + ": is damaged (it ends within a page)" + kStoreRemedy);
}

}  // namespace

bool is_database(const std::string& path) {
  std::error_code absent;
  return std::filesystem::is_regular_file(path, absent) && has_magic(header_of(path));
}

void check_store_name(const std::string& path) {
  if (path.empty()) throw UsageError("a store: expected the name of a file, got \"\"");
  if (path.find('\0') != std::string::npos)
    throw UsageError(json::in_quotes(path) + ": a file name must not contain a zero byte");
  if (path.starts_with(":") || path.starts_with("file:"))
    throw UsageError(path +
                     ": expected the name of a file, but SQLite gives this name another meaning (a "
                     "file of this name is ./" +
                     path + ")");
}

std::unique_ptr<OutputPlace> output_place(const std::string& path, StoreUse use) {
  check_store_name(path);
  if (use != StoreUse::read) return std::make_unique<OutputPlace>(path, path, FileKind::store);
  reads_file(path, FileKind::store);
  return nullptr;
}

const std::string& checked_store_path(const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind != std::filesystem::file_type::regular &&
      kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::none)
    throw UsageError(path + ": cannot be opened: it is not a regular file");
  const std::string folder = missing_folder(path);
  if (!folder.empty()) throw UsageError(path + ": cannot be opened: " + folder);
  refuse_cut_file(path);
  return path;
}

}  // namespace faultline::store
