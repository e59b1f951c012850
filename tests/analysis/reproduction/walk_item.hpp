// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "analysis/reproduction/item_reader.hpp"
#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::reproduction {

/// Measures the walk by runs of its scenario.
inline constexpr const char* kWalkRuns =
    R"("measures": {"m": {"kind": "runs", "scenario": "walk", "metric": "control_messages",
                          "replications": 4, "quick_replications": 2}},)";

/// Measures walks on 4, 8 and 16 processes as a series.
inline constexpr const char* kWalkSeries =
    R"("measures": {"m": {"kind": "series", "scenario": "walk",
    "over": "platform.processes", "metrics": ["control_messages", "idle_transitions"],
    "changes": [{"platform.processes": 4}, {"platform.processes": 8},
                {"platform.processes": 16}],
    "replications": [3, 4, 2], "quick_replications": 2, "quick_points": 2}},
    "curves": ["m"],)";

/// A data file on the walk of a token over four processes under cda and hcda, with these cells.
inline std::string walk_text(const std::string& cells, const std::string& measures = kWalkRuns) {
  return R"({"schema_version": 1, "title": "t", "time_s": 1, "quick_time_s": 1,
         "evidence": "own theory",
         "scenarios": {"walk": {"schema_version": 1,
         "platform": {"machine": "intrepid", "processes": 4, "processes_per_node": 4},
         "workload": {"name": "token-ring", "stop_probability": 0.5},
         "termination": [{"name": "cda"}, {"name": "hcda"}]}},)" +
         measures +
         R"("groups": [{"place": "p", "why": "w", "measure": "m", "detector": "cda", "cells": [)" +
         cells + "]}]}";
}

/// What is read from a data file with this text.
inline ReproductionItem item_from(const std::string& text) {
  const TemporaryDirectory folder;
  return read_reproduction_item(folder.write("item.json", text));
}

inline ReproductionItem walk_item(const std::string& cells,
                                  const std::string& measures = kWalkRuns) {
  return item_from(walk_text(cells, measures));
}

/// Why a data file with these cells is refused.
inline std::string walk_refusal(const std::string& cells, const std::string& measures = kWalkRuns) {
  try {
    walk_item(cells, measures);
  } catch (const UsageError& error) {
    return error.what();
  }
  FAIL("was accepted");
  return "";
}

}  // namespace faultline::reproduction
