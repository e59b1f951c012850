// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/runs/run_record.hpp"
#include "analysis/search/judgement.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// Checks promises of a failure detector that a run alone cannot, by running the same job for
/// longer: all live processes hear of every death if little disturbs the detector ("missed death"),
/// and no live process is reported if nothing disturbs it, or if ranks stall for less time than it
/// bears ("false report"). `run` is the run of the scenario.
std::optional<Finding> against_detector(const scenario::Scenario& scenario,
                                        const runs::RunRecord& run);

}  // namespace faultline::search
