// SPDX-License-Identifier: Apache-2.0

// `checkpoint_iterations` of a program holds for transactions that leave it open.

#include <catch2/catch.hpp>
#include <string>

#include "sim/scenario/inherited_checkpoints.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {

using Catch::Matchers::Contains;

namespace {

Scenario read(const std::string& protocol, const std::string& program, const std::string& own,
              int per_node = 1) {
  return parse_scenario(
      R"({"schema_version": 1, "platform": {"machine": "stampede", "processes": 8,
          "processes_per_node": )" +
          std::to_string(per_node) + R"(}, "workload": {"name": "minife")" + program +
          R"(}, "transactions": {"name": ")" + protocol + "\"" + own + "}}",
      "s.json");
}

/// `checkpoint`, `checkpoint_iterations` and `checkpoint_interval_s` of transactions, as they hold.
struct Held {
  OptionValue checkpoint;
  OptionValue iterations;
  OptionValue interval_s;

  bool operator==(const Held&) const = default;
};

Held held(const RunSpec& point) {
  const OptionValues& own = point.component(Family::transactions).options;
  return {own.at("checkpoint"), own.at("checkpoint_iterations"), own.at("checkpoint_interval_s")};
}

const OptionValue kNone = std::string("none");
const OptionValue kPartner = std::string("partner");
const OptionValue kStorage = std::string("storage");
const OptionValue kNull = std::monostate();
const OptionValue kTwo = std::int64_t{2};
const OptionValue kFive = std::int64_t{5};

}  // namespace

TEST_CASE("checkpoints of a program hold for transactions as far as these leave them open") {
  const std::string five = R"(, "checkpoint_iterations": 5)";
  const std::string two = R"(, "checkpoint_iterations": 2)";
  const std::string half = R"(, "checkpoint_interval_s": 0.5)";
  const std::string none = R"(, "checkpoint": "none")";
  const std::string storage = R"(, "checkpoint": "storage")";
  struct Case {
    std::string program;
    std::string own;
    Held expected;
  };
  const Case cases[] = {
      {"", "", {kNone, kNull, kNull}},
      {"", two, {kNone, kTwo, kNull}},
      {"", storage + two, {kStorage, kTwo, kNull}},
      {five, "", {kPartner, kFive, kNull}},
      {five, R"(, "checkpoint": null)", {kPartner, kFive, kNull}},
      {five, two, {kPartner, kTwo, kNull}},
      {five, half, {kPartner, kNull, OptionValue(0.5)}},
      {five, storage, {kStorage, kFive, kNull}},
      {five, storage + two, {kStorage, kTwo, kNull}},
      {five, none, {kNone, kNull, kNull}},
  };
  for (const std::string protocol : {"fampi", "ulfm", "relaunch"})
    for (const Case& one : cases) {
      CAPTURE(protocol, one.program, one.own);
      const Scenario scenario = read(protocol, one.program, one.own);
      CHECK(held(scenario.points.front()) == one.expected);
      RunSpec again = scenario.points.front();
      inherit_checkpoints(again);
      CHECK(held(again) == one.expected);
    }
}

TEST_CASE("a partner that a program's checkpoints ask for needs a second node, too") {
  CHECK_THROWS_WITH(read("fampi", R"(, "checkpoint_iterations": 5)", "", 8),
                    Contains("transactions.checkpoint: expected at least 2 nodes"));
  CHECK_NOTHROW(
      read("fampi", R"(, "checkpoint_iterations": 5)", R"(, "checkpoint": "storage")", 8));
}

}  // namespace faultline::scenario
