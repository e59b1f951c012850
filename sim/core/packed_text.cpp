// SPDX-License-Identifier: Apache-2.0
#include "sim/core/packed_text.hpp"

#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <ios>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/text_file.hpp"

namespace faultline {

namespace {

namespace io = boost::iostreams;
using namespace std::string_view_literals;

/// What the bytes of a stream are, which it unpacks; at most one more than `largest_B`.
std::string unpacked(io::filtering_istream& packed, std::size_t largest_B) {
  packed.exceptions(std::ios::badbit);
  std::string text;
  std::vector<char> block(1 << 16);
  while (packed && text.size() <= largest_B) {
    packed.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(packed.gcount()));
  }
  return text;
}

}  // namespace

std::string read_packed_text(const std::string& path, const std::string& expected,
                             std::size_t largest_B) {
  std::string bytes = read_text_file(path, expected, largest_B);
  const bool is_gzip = bytes.starts_with("\x1f\x8b"sv);
  if (!is_gzip && !bytes.starts_with("\xfd\x37zXZ\0"sv)) return bytes;
  io::filtering_istream packed;
  if (is_gzip)
    packed.push(io::gzip_decompressor());
  else
    packed.push(io::lzma_decompressor());
  packed.push(io::array_source(bytes.data(), bytes.size()));
  std::string text;
  try {
    text = unpacked(packed, largest_B);
  } catch (const std::ios_base::failure&) {  // that of the library, too
    throw UsageError(path + ": is damaged, so that " + (is_gzip ? "gzip" : "xz") +
                     " cannot unpack it");
  }
  if (text.size() > largest_B)
    throw UsageError(path + ": is larger than " + std::to_string(largest_B >> 20U) +
                     " MiB once it is unpacked");
  return text;
}

}  // namespace faultline
