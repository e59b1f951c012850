// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "analysis/runs/line_spool.hpp"
#include "analysis/runs/run_tally.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::runs {

/// Receives a report piece by piece.
using WriteText = std::function<void(const std::string&)>;

/// Writes the results of a scenario as one JSON object (docs/output.md describes every field).
/// `runs` has the records of the replications that finished, in order, each as a line of JSON.
void write_run_report_json(const scenario::Scenario& scenario, const RunTally& tally,
                           const LineSpool& runs, const WriteText& write);

/// Writes the results as CSV with one line per replication: point, label, seed, replication,
/// engine, outcome, then every metric.
void write_run_report_csv(const scenario::Scenario& scenario, const RunTally& tally,
                          const LineSpool& runs, const WriteText& write);

/// The results as tables for people: one row per point, the reasons of fatal runs, and the values
/// of theory. `width` is in characters.
std::string run_report_table(const scenario::Scenario& scenario, const RunTally& tally,
                             std::size_t width = text::kUsualWidth);

}  // namespace faultline::runs
