// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/search/judgement.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// Checks that no false report lasts, where an accused process can deny it: once nothing disturbs
/// the job any more, its accusers take it back within the bound of the detector. The same job runs
/// for so long, without its deaths and whatever never ends ("a false report that lasts"). Nothing
/// is found in a run that ends earlier.
std::optional<Finding> against_lasting_reports(const scenario::Scenario& scenario);

}  // namespace faultline::search
