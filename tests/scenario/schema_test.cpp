// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/json/json_reader.hpp"
#include "tests/scenario/workspace.hpp"

namespace faultline::scenario {
namespace {

json::JsonValue schema() {
  json::Problems problems("schema");
  json::JsonValue value = json::parse_json(scenario_schema(), problems);
  problems.throw_if_any();
  return value;
}

const json::JsonValue& at(const json::JsonValue& value, const std::vector<std::string>& keys) {
  const json::JsonValue* place = &value;
  for (const std::string& key : keys) {
    CAPTURE(key);
    REQUIRE(place->find(key) != nullptr);
    place = place->find(key);
  }
  return *place;
}

/// The schema of a component of a family.
json::JsonValue component(const std::string& family, const std::string& name) {
  const json::JsonValue whole = schema();
  for (const json::JsonValue& choice : *at(whole, {"$defs", family, "oneOf"}).list())
    if (*at(choice, {"properties", "name", "const"}).text() == name) return choice;
  FAIL("no schema for " << name);
  return {};
}

}  // namespace

TEST_CASE("the schema has every registered component under its family") {
  const json::JsonValue whole = schema();
  for (const Registration& registration : registrations())
    CHECK(component(family_key(registration.family), registration.name)
              .find("additionalProperties") != nullptr);
  for (const std::string family : {"termination", "message_logging", "failure_detection"})
    CHECK_NOTHROW(component(family, "none"));
}

TEST_CASE("the schema says range, default, unit and source of an option") {
  const json::JsonValue ring = component("workload", "token-ring");
  CHECK(json::to_json(at(ring, {"properties", "stop_probability", "minimum"})) == "0");
  CHECK(json::to_json(at(ring, {"properties", "stop_probability", "maximum"})) == "1");
  CHECK(json::to_json(at(ring, {"properties", "walk_length", "type"})) == R"(["integer","null"])");
  const json::JsonValue step = at(ring, {"properties", "step_compute_s"});
  CHECK(step.find("default") != nullptr);
  CHECK_THAT(*at(step, {"description"}).text(), Catch::Matchers::Contains("in seconds") &&
                                                    Catch::Matchers::Contains("termination-2022"));
}

TEST_CASE("the schema says of a list what its entries are") {
  const json::JsonValue rules = at(component("workload", "script"), {"properties", "rules"});
  CHECK(json::to_json(at(rules, {"type"})) == R"("array")");
  CHECK(json::to_json(at(rules, {"items", "type"})) == R"("string")");
}

TEST_CASE("the schema refuses unknown keys everywhere") {
  const json::JsonValue whole = schema();
  CHECK(json::to_json(at(whole, {"additionalProperties"})) == "false");
  for (const std::string part : {"platform", "fault", "stop", "machine"})
    CHECK(json::to_json(at(whole, {"$defs", part, "additionalProperties"})) == "false");
}

TEST_CASE("what must be there is required") {
  const json::JsonValue whole = schema();
  CHECK(json::to_json(at(whole, {"required"})) == R"(["schema_version","platform","workload"])");
  CHECK(json::to_json(at(whole, {"$defs", "platform", "required"})) == R"(["processes"])");
}

}  // namespace faultline::scenario
