// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/runs/run_record.hpp"
#include "analysis/search/judgement.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// Judges a run in which a protocol has given up. It may never do so in peace, and otherwise only
/// for a reason on its page that holds.
std::optional<Finding> against_giving_up(const scenario::Scenario& scenario,
                                         const runs::RunRecord& run);

}  // namespace faultline::search
