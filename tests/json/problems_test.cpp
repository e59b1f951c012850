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

TEST_CASE("an error is followed by the last origin of its place, unless that was taken back") {
  Problems problems("s.json");
  problems.add("a.b", "is wrong");
  problems.add("a.c[0]", "is wrong");
  problems.add("ab", "is wrong");
  problems.set_origin("a", "from x");
  CHECK(problems.text() ==
        "s.json: a.b: is wrong (from x)\ns.json: a.c[0]: is wrong (from x)\ns.json: ab: is wrong");
  problems.set_origin("a.c", "");
  problems.set_origin("ab", "from y");
  CHECK(problems.text() ==
        "s.json: a.b: is wrong (from x)\ns.json: a.c[0]: is wrong\ns.json: ab: is wrong (from y)");
}

}  // namespace faultline::json
