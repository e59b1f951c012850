// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/runs/run_record.hpp"
#include "analysis/statistics/strata.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::runs {

/// The stratum of a replication, if its faults are sampled by strata.
std::optional<statistics::Stratum> stratum_of(const scenario::RunSpec& spec,
                                              std::uint64_t replication);

/// Adds the metrics that state it.
void add_stratum(RunRecord& run, const scenario::RunSpec& spec);

/// The stratum that these metrics state; nothing if the run has none.
std::optional<statistics::Stratum> stratum_of(const RunRecord& run);

/// What a stratified sample of a metric estimates. `of_runs`: each value is of one run, and not a
/// mean of several.
statistics::StrataOf strata_of(const std::string& metric, bool of_runs = true);

}  // namespace faultline::runs
