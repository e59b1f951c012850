// SPDX-License-Identifier: Apache-2.0
#include "sim/core/packed_text.hpp"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string_view>
#include <vector>

#include "sim/core/error.hpp"

namespace faultline {

namespace {

namespace io = boost::iostreams;

/// Unpacks what the file begins to say that it is packed with.
void add_unpacking(io::filtering_istream& text, std::string_view begin) {
  using namespace std::string_view_literals;
  if (begin.starts_with("\x1f\x8b"sv)) text.push(io::gzip_decompressor());
  if (begin.starts_with("\xfd\x37zXZ\0"sv)) text.push(io::lzma_decompressor());
}

std::string begin_of(std::ifstream& file) {
  std::string begin(6, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  file.clear();
  file.seekg(0);
  return begin;
}

}  // namespace

std::string read_packed_text(const std::string& path, std::uint64_t most_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw UsageError(path + ": is a folder, expected a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(path + ": no such file, or it cannot be read");
  io::filtering_istream packed;
  add_unpacking(packed, begin_of(file));
  packed.push(file);
  packed.exceptions(std::ios::badbit);
  std::string text;
  std::vector<char> block(1 << 16);
  try {
    while (packed) {
      packed.read(block.data(), static_cast<std::streamsize>(block.size()));
      text.append(block.data(), static_cast<std::size_t>(packed.gcount()));
      if (text.size() > most_bytes)
        throw UsageError(path + ": is longer than " + std::to_string(most_bytes) +
                         " bytes once it is unpacked");
    }
  } catch (const io::gzip_error&) {
    throw UsageError(path + ": is damaged, gzip cannot unpack it");
  } catch (const io::lzma_error&) {
    throw UsageError(path + ": is damaged, xz cannot unpack it");
  } catch (const std::ios_base::failure&) {
    throw UsageError(path + ": ends too early, or is damaged, so that it cannot be unpacked");
  }
  return text;
}

}  // namespace faultline
