#pragma once

#include <functional>
#include <string>

#include "analysis/runs/line_spool.hpp"
#include "analysis/runs/run_tally.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// Takes a report piece by piece.
using WriteText = std::function<void(const std::string&)>;

/// The results of a scenario as one JSON object (docs/output.md describes every field). `runs` has
/// the records of the replications that ran to their end, in order, each as a line of JSON.
void write_run_report_json(const Scenario& scenario, const RunTally& tally, const LineSpool& runs,
                           const WriteText& write);

/// One line per replication: point, label, seed, replication, engine, outcome, then every metric.
void write_run_report_csv(const Scenario& scenario, const RunTally& tally, const LineSpool& runs,
                          const WriteText& write);

/// For people: one row per point, why runs were fatal, and what theory says, in tables of that
/// width.
std::string run_report_table(const Scenario& scenario, const RunTally& tally,
                             std::size_t width = kUsualWidth);

}  // namespace faultline
