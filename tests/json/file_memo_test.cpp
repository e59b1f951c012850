// SPDX-License-Identifier: Apache-2.0
#include "sim/json/file_memo.hpp"

#include <catch2/catch.hpp>

#include "sim/core/error.hpp"

namespace faultline::json {
namespace {

/// Counts how often it is read.
struct Source {
  int reads = 0;
  int of(const std::string& name) {
    return *FileMemo::read_once<int>(name, [this] { return ++reads; });
  }
};

}  // namespace

TEST_CASE("a file is read once while a memo lives, and every time without") {
  Source source;
  CHECK(source.of("a") == 1);
  CHECK(source.of("a") == 2);
  {
    const FileMemo outer;
    CHECK(source.of("a") == 3);
    {
      const FileMemo inner;
      CHECK(source.of("a") == 3);
      CHECK(source.of("b") == 4);
    }
    CHECK(source.of("b") == 4);
    // Another kind of content of the same name is another reading.
    CHECK(*FileMemo::read_once<long>("a", [] { return 7L; }) == 7);
    CHECK(source.of("a") == 3);
  }
  CHECK(source.of("a") == 5);
}

TEST_CASE("a reading that fails is tried again") {
  const FileMemo memo;
  CHECK_THROWS_AS(FileMemo::read_once<int>("x", []() -> int { throw UsageError("no"); }),
                  UsageError);
  CHECK(*FileMemo::read_once<int>("x", [] { return 1; }) == 1);
}

}  // namespace faultline::json
