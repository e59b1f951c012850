// SPDX-License-Identifier: Apache-2.0
#include "sim/json/problems.hpp"

#include <catch2/catch.hpp>

namespace faultline::json {

TEST_CASE("a typing error gets the nearest name, anything else gets what is expected") {
  const std::vector<std::string> names = {"table", "json", "csv", "termination"};
  CHECK(suggestion("tabel", names) == ", did you mean \"table\"?");
  CHECK(suggestion("jsn", names) == ", did you mean \"json\"?");
  CHECK(suggestion("terminatoin", names) == ", did you mean \"termination\"?");
  CHECK(suggestion("TERMINATION", names) == ", did you mean \"termination\"?");
  CHECK(suggestion("term", names) == ", did you mean \"termination\"?");
  CHECK(suggestion("xml", names) == ", expected table, json, csv or termination");
  CHECK(suggestion("", names) == ", expected table, json, csv or termination");
  CHECK(suggestion("tabel", {}).empty());
  CHECK_FALSE(nearest_of("t", {"table", "termination"}));
  CHECK_FALSE(nearest_of(std::string(1'000'000, 'x'), names));
}

}  // namespace faultline::json
