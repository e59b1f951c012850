// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/run.hpp"

#include <catch2/catch.hpp>

#include "analysis/text/text_table.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::reproduction {

namespace {

constexpr const char* kItem = R"({
  "schema_version": 1, "title": "t", "time_s": 10, "quick_time_s": 4, "evidence": "own theory",
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
  const std::string file =
      folder.write("a paper/a figure.json", kItem).parent_path() / "./a figure.json";
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
  const auto result = carry_out_items(items, quick, draw);
  REQUIRE(result);
  CHECK(result->quick);
  CHECK(result->versions == versions_of_this_build());
  CHECK(result->commands == std::vector<std::string>{"faultline reproduce '" + file + "' --quick"});
  REQUIRE(result->results.size() == 1);
  CHECK(result->results[0].drawing == "<svg/>");
  REQUIRE(drawn.size() == 1);
  CHECK(drawn[0].stem == "a-paper-a-figure");
  CHECK(drawn[0].csv == text::csv_records(result->results[0].figure));
  CHECK_FALSE(drawn[0].script.empty());

  const auto undrawn = carry_out_items(std::move(items), {}, {});
  REQUIRE(undrawn);
  CHECK(undrawn->results[0].figure.empty());
  CHECK(undrawn->commands[0].find("--quick") == std::string::npos);
  CHECK(drawn.size() == 1);
}

TEST_CASE("no figures of one run have the same name, and none has one like an option") {
  const TemporaryDirectory folder;
  ItemFile item = read_items(folder.write("figure-4.json", kItem)).at(0);
  std::vector<ItemFile> items;
  for (const char* name : {"one-2013/figure-4", "other-2022/figure-4", "one-2013/figure-4",
                           "/--own", "./own", "../"}) {
    item.item.name = name;
    items.push_back(item);
  }
  std::vector<std::string> stems;
  const auto draw = [&](const std::string& stem, const std::string& /*csv*/,
                        const std::string& /*script*/) -> std::string {
    stems.push_back(stem);
    return "<svg/>";
  };
  const bool carried_out = carry_out_items(std::move(items), {.quick = true}, draw).has_value();
  REQUIRE(carried_out);
  CHECK(stems == std::vector<std::string>{"one-2013-figure-4", "other-2022-figure-4",
                                          "one-2013-figure-4-2", "own", "own-2", "item"});
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

}  // namespace faultline::reproduction
