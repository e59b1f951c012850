// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/runs/run_record.hpp"
#include "analysis/search/judgement.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// Asks more of the failure detector of a run than the run did, of the same job for longer: that
/// all who live are told of every death if little disturbs the detector ("missed death"), and that
/// nobody who lives is reported if nothing does, or if ranks stall for less than it bears ("false
/// report"). `run` is the run of the scenario.
std::optional<Finding> against_detector(const Scenario& scenario, const RunRecord& run);

}  // namespace faultline::search
