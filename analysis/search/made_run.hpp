// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/runs/run_record.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// The run of a scenario of one point. On SimGrid it has a process of its own.
ReplicationRecord made_run(const Scenario& scenario);

/// Names that say what went wrong: the first violation of a run, or how it ended.
std::string kind_of_end(const RunRecord& run);
std::string text_of_end(const RunRecord& run);

}  // namespace faultline::search
