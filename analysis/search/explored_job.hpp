// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/search/judgement.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// The result of exploring the orders of a small job.
struct ExploredJob {
  bool explored = false;  ///< the job is small enough, and nothing in it forbids the search
  std::optional<Finding> finding;
};

/// Explores the first states of a job of 2 or 3 ranks in all orders, with a death if a protocol
/// promises to bear it. Leaves out everything that takes time.
ExploredJob explored_job(const scenario::Scenario& scenario);

}  // namespace faultline::search
