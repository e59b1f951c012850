// SPDX-License-Identifier: Apache-2.0
#include "sim/core/data_directory.hpp"

#include <catch2/catch.hpp>

#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline {

TEST_CASE("FAULTLINE_DATA names the data directory and must be one") {
  const TemporaryDirectory directory;
  {
    const ScopedVariable chosen("FAULTLINE_DATA", directory.path().c_str());
    CHECK(data_directory() == directory.path());
  }
  const std::filesystem::path absent = directory.path() / "absent";
  const ScopedVariable chosen("FAULTLINE_DATA", absent.c_str());
  CHECK_THROWS_WITH(data_directory(),
                    "FAULTLINE_DATA: expected a directory, got '" + absent.string() + "'");
}

TEST_CASE("without FAULTLINE_DATA a built program finds the data of its source tree") {
  for (const char* const unset : {static_cast<const char*>(nullptr), ""}) {
    const ScopedVariable chosen("FAULTLINE_DATA", unset);
    CHECK(std::filesystem::exists(data_directory() / "faults" / "jaguar.json"));
  }
}

TEST_CASE("an installed program prefers the data beside it, wherever the prefix was moved") {
  const TemporaryDirectory prefix;
  const std::filesystem::path program = prefix.write("a prefix/bin/faultline", "");
  CHECK(data_directory_of(program) != prefix.path() / "a prefix/share/faultline/scenarios");
  const auto data = prefix.write("a prefix/share/faultline/scenarios/faults/x.json", "");
  CHECK(data_directory_of(program) == prefix.path() / "a prefix/share/faultline/scenarios");
}

}  // namespace faultline
