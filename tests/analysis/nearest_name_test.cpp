#include "analysis/nearest_name.hpp"

#include <catch2/catch.hpp>

using faultline::did_you_mean;

TEST_CASE("a slip of the keyboard gets the nearest name, anything else gets none") {
  const std::vector<std::string> names = {"table", "json", "csv", "termination"};
  CHECK(did_you_mean("tabel", names) == "; did you mean 'table'?");
  CHECK(did_you_mean("jsn", names) == "; did you mean 'json'?");
  CHECK(did_you_mean("terminatoin", names) == "; did you mean 'termination'?");
  CHECK(did_you_mean("xml", names).empty());
  CHECK(did_you_mean("", names).empty());
  CHECK(did_you_mean("tabel", {}).empty());
  CHECK(did_you_mean(std::string(1'000'000, 'x'), names).empty());
}
