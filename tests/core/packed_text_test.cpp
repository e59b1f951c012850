// SPDX-License-Identifier: Apache-2.0

#include "sim/core/packed_text.hpp"

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "sim/core/error.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline {

namespace {

namespace io = boost::iostreams;

template <class Compressor>
std::string packed(const std::string& text) {
  std::string result;
  io::filtering_ostream out;
  out.push(Compressor());
  out.push(io::back_inserter(result));
  std::istringstream in(text);
  io::copy(in, out);
  return result;
}

std::string text_of(const std::string& content, std::size_t most_bytes = 1 << 20) {
  const scenario::Workspace workspace;
  return read_packed_text(workspace.write("file", content), "a text", most_bytes);
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * i) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a file is the same text, packed or not") {
  for (const std::string& text : {std::string("a"), long_text()}) {
    CHECK(text_of(text) == text);
    CHECK(text_of(packed<io::gzip_compressor>(text)) == text);
    CHECK(text_of(packed<io::lzma_compressor>(text)) == text);
  }
}

TEST_CASE("what is too long once it is unpacked is refused, and not kept") {
  const std::string zeros(10 << 20, '0');
  CHECK_THROWS_WITH(text_of(packed<io::gzip_compressor>(zeros)),
                    Contains("is larger than 1 MiB once it is unpacked"));
  CHECK_THROWS_WITH(text_of(packed<io::lzma_compressor>(zeros)),
                    Contains("is larger than 1 MiB once it is unpacked"));
  CHECK_THROWS_WITH(text_of(zeros), Contains("is larger than 1 MiB"));
}

TEST_CASE("a damaged file is refused, wherever it is cut or changed") {
  for (const std::string& whole :
       {packed<io::gzip_compressor>(long_text()), packed<io::lzma_compressor>(long_text())}) {
    for (const std::size_t length : {std::size_t{6}, whole.size() / 2, whole.size() - 1})
      CHECK_THROWS_AS(text_of(whole.substr(0, length)), UsageError);
    std::string changed = whole;
    for (std::size_t i = whole.size() / 3; i < whole.size() / 3 + 20; ++i) changed[i] ^= '\x55';
    CHECK_THROWS_AS(text_of(changed), UsageError);
  }
}

TEST_CASE("no file, a folder and an empty file are refused by name") {
  const scenario::Workspace workspace;
  const auto read = [&](const std::string& path) { return read_packed_text(path, "a text", 10); };
  CHECK_THROWS_WITH(read(workspace.path("gone")), Contains("gone: no such file"));
  CHECK_THROWS_WITH(read(workspace.path("")), Contains("is a directory"));
  CHECK_THROWS_WITH(read(workspace.write("none", "")), Contains("none: is empty"));
}

}  // namespace faultline
