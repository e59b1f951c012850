#include "analysis/reproduction/run.hpp"

#include <catch2/catch.hpp>

#include "analysis/text/text_table.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace faultline;

namespace {

constexpr const char* kItem = R"({
  "schema_version": 1, "title": "t", "time_s": 10, "quick_time_s": 4,
  "measures": {"m": {"kind": "step-model", "preset": "small", "tree_seeds": [2269],
                     "mapping": "round-robin", "rules": "resolved", "fewest_processes": 2,
                     "most_processes": 4, "quick_trees": 1}},
  "curves": ["m"],
  "groups": [{"place": "p", "why": "nothing is compared", "expected": "not comparable",
              "reason": "r", "cells": [{"cell": "c", "measure": "m", "detector": "hcda"}]}]})";

struct Drawn {
  std::string stem;
  std::string csv;
  std::string script;
};

}  // namespace

TEST_CASE("items are carried out, drawn by whoever draws, and named as the user named them") {
  const TemporaryDirectory folder;
  const std::string file = folder.write("a figure.json", kItem);
  std::vector<ItemFile> items = read_items(file);
  REQUIRE(items.size() == 1);
  CHECK(items[0].named == file);
  std::vector<Drawn> drawn;
  const auto draw = [&](const std::string& stem, const std::string& csv,
                        const std::string& script) -> std::string {
    drawn.push_back({stem, csv, script});
    return "<svg/>";
  };
  const ReproductionSettings quick{.quick = true};
  const auto result = carry_out_items(items, quick, draw, false);
  REQUIRE(result);
  CHECK(result->quick);
  CHECK(result->versions == versions_of_this_build());
  CHECK(result->commands == std::vector<std::string>{"faultline reproduce '" + file + "' --quick"});
  REQUIRE(result->results.size() == 1);
  CHECK(result->results[0].drawing == "<svg/>");
  REQUIRE(drawn.size() == 1);
  CHECK(drawn[0].stem == "a-figure");
  CHECK(drawn[0].csv == csv_records(result->results[0].figure));
  CHECK_FALSE(drawn[0].script.empty());

  const auto of_papers = carry_out_items(items, quick, draw, true);
  REQUIRE(of_papers);
  REQUIRE(drawn.size() == 2);
  CHECK(drawn[1].stem.ends_with("-a-figure"));
  CHECK(drawn[1].stem.find('/') == std::string::npos);

  const auto undrawn = carry_out_items(std::move(items), {}, {}, false);
  REQUIRE(undrawn);
  CHECK(undrawn->results[0].figure.empty());
  CHECK(undrawn->commands[0].find("--quick") == std::string::npos);
  CHECK(drawn.size() == 2);
}

TEST_CASE("the time that items take is that of their data files over the jobs, at least a second") {
  ItemFile item;
  item.item.time_s = 10;
  item.item.quick_time_s = 4;
  const std::vector<ItemFile> items = {item, item};
  CHECK(expected_time_s(items, {.quick = false, .jobs = 4}) == 5);
  CHECK(expected_time_s(items, {.quick = true, .jobs = 4}) == 2);
  CHECK(expected_time_s(items, {.quick = true, .jobs = 100}) == 1);
}
