// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/runs/run_record.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// Makes the run of a scenario of one point. On SimGrid the run has its own process.
runs::ReplicationRecord made_run(const scenario::Scenario& scenario);

/// Names what went wrong: the first violation of a run, or how it ended.
std::string kind_of_end(const runs::RunRecord& run);
std::string text_of_end(const runs::RunRecord& run);

}  // namespace faultline::search
