// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/search/judgement.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// What came of going through the orders of a small job.
struct ExploredJob {
  bool explored = false;  ///< it is small enough, and nothing in it forbids it
  std::optional<Finding> finding;
};

/// Goes through the first states of a job of 2 or 3 ranks in all orders, with a death if somebody
/// promises to bear it. What takes time is left out.
ExploredJob explored_job(const Scenario& scenario);

}  // namespace faultline::search
