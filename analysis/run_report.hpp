#pragma once

#include <string>

#include "analysis/replications.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// The results of a scenario as one JSON object (docs/output.md describes every field).
std::string run_report_json(const Scenario& scenario, const ReplicationResults& results);

/// One line per replication: point, label, seed, replication, engine, outcome, then every metric.
std::string run_report_csv(const Scenario& scenario, const ReplicationResults& results);

/// For people: one row per point, and what theory says beside it; at most 80 columns wide.
std::string run_report_table(const Scenario& scenario, const ReplicationResults& results);

}  // namespace faultline
