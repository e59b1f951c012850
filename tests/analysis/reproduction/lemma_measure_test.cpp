// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/lemma_measure.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <variant>

#include "analysis/lemmas/broken_promise.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "analysis/reproduction/verdicts.hpp"
#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

namespace {

ReproductionItem item_of(const std::string& more, const std::string& cells) {
  const TemporaryDirectory folder;
  return read_reproduction_item(folder.write(
      "item.json",
      R"({"schema_version": 1, "title": "t", "time_s": 1, "quick_time_s": 1,
          "evidence": "property", "measures":
          {"m": {"kind": "lemmas", "loggp_schedules": 700, "quick_schedules": 300)" +
          more + R"(}}, "groups": [{"place": "p", "why": "w", "measure": "m", "cells": [)" + cells +
          "]}]}"));
}

LemmasMeasure measure_of(const std::string& more, const std::string& cells) {
  return std::get<LemmasMeasure>(item_of(more, cells).measures[0].how);
}

/// What is wrong, after the folder.
std::string refusal_of(const std::string& more, const std::string& cells) {
  try {
    item_of(more, cells);
  } catch (const UsageError& error) {
    const std::string text = error.what();
    return text.substr(text.find("item.json"));
  }
  FAIL("was accepted");
  return "";
}

constexpr const char* kFailures = R"(, "family": "failure_detection")";
constexpr const char* kIndep = R"({"cell": "a", "detector": "indep", "figure": "hung"})";
constexpr const char* kUlfm = R"({"cell": "a", "detector": "ulfm", "figure": "missed"})";

}  // namespace

TEST_CASE("a search is of termination detectors, unless it says of failure detectors") {
  CHECK(measure_of("", kIndep).family == Family::termination);
  CHECK(measure_of(R"(, "family": "termination")", kIndep).family == Family::termination);
  CHECK(measure_of(kFailures, kUlfm).family == Family::failure_detection);
}

TEST_CASE("a quick search tries a hundredth on simgrid, unless it says how many") {
  CHECK(measure_of("", kIndep).quick_simgrid_schedules == 3);
  CHECK(measure_of(R"(, "quick_simgrid_schedules": 0)", kIndep).quick_simgrid_schedules == 0);
  CHECK(measure_of(R"(, "quick_simgrid_schedules": 40)", kIndep).quick_simgrid_schedules == 40);
}

TEST_CASE("the cells of a search are about detectors of its family, and about their promises") {
  CHECK(refusal_of(R"(, "family": "workload")", kIndep) ==
        "item.json: measures.m.family: expected one of termination, message_logging, "
        "failure_detection or transactions, got \"workload\"");
  CHECK_THAT(refusal_of(R"(, "family": 3)", kIndep),
             Contains("item.json: measures.m.family: expected"));
  CHECK_THAT(refusal_of(R"(, "quick_simgrid_schedules": -1)", kIndep),
             Contains("item.json: measures.m.quick_simgrid_schedules: expected"));
  CHECK_THAT(refusal_of(kFailures, R"({"cell": "a", "detector": "indep", "figure": "missed"})"),
             Contains("item.json: groups[0].cells[0].detector: expected one of rdaemon, "));
  CHECK_THAT(refusal_of("", kUlfm),
             Contains("item.json: groups[0].cells[0].detector: expected one of indep, "));
  CHECK_THAT(refusal_of(kFailures, R"({"cell": "a", "detector": "ulfm", "figure": "hung"})"),
             Contains("groups[0].cells[0].figure: expected one of missed, false report, told twice "
                      "or other, got \"hung\""));
  CHECK_THAT(refusal_of("", R"({"cell": "a", "detector": "indep", "figure": "missed"})"),
             Contains("groups[0].cells[0].figure: expected one of premature, hung, "));
}

TEST_CASE("a search has a result for each detector of its family and each of their promises") {
  for (const Family family : {Family::termination, Family::message_logging,
                              Family::failure_detection, Family::transactions}) {
    LemmasMeasure measure;
    measure.family = family;
    measure.quick_schedules = 3;
    measure.quick_simgrid_schedules = 2;
    std::set<EstimateKey> expected;
    for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects(family))
      for (const lemmas::LemmaFigure figure : lemmas::lemma_figures(family))
        expected.insert({family, subject.name, lemmas::lemma_figure_word(figure)});
    double worked = 0;
    ReproductionSettings settings{.quick = true, .jobs = 2};
    settings.worked = [&](double amount) { worked += amount; };
    std::set<EstimateKey> measured;
    for (const auto& [key, estimate] : measure_lemmas(measure, settings).estimates) {
      measured.insert(key);
      CHECK(estimate.value == 0.0);
    }
    CHECK(measured == expected);
    CHECK(worked == work_of(measure, settings));
  }
}

namespace {

void check_cells(const std::string& name, Family family, std::uint64_t simgrid_schedules) {
  const auto files = find_reproduction_items(name);
  REQUIRE(files.size() == 1);
  const ReproductionItem item = read_reproduction_item(files.front());
  const auto& measure = std::get<LemmasMeasure>(item.measures.at(0).how);
  const auto& subjects = lemmas::lemma_subjects(family);
  CHECK(measure.family == family);
  CHECK(measure.loggp_schedules >= 20000);
  CHECK(measure.simgrid_schedules >= simgrid_schedules);
  std::set<std::pair<std::string, std::string>> cells;
  for (const Cell& cell : item.cells) {
    cells.emplace(cell.protocol, cell.figure);
    CHECK(cell.stated == 0.0);
  }
  for (const lemmas::LemmaSubject& subject : subjects)
    for (const lemmas::LemmaFigure figure : lemmas::lemma_figures(family))
      CHECK(cells.count({subject.name, lemmas::lemma_figure_word(figure)}) == 1);
}

}  // namespace

TEST_CASE("the item of the failure detectors has a cell for each detector and promise") {
  check_cells("rdaemon-2019/properties", Family::failure_detection,
              200 * lemmas::lemma_subjects(Family::failure_detection).size());
}

TEST_CASE("the item of message logging has a cell for each protocol and promise") {
  check_cells("fast-message-logging/message-logging-lemmas", Family::message_logging, 200);
}

TEST_CASE("the item of transactions has a cell for each protocol and promise") {
  check_cells("fampi-2015/properties", Family::transactions, 200);
}

}  // namespace faultline::reproduction
