// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/context.hpp"
#include "sim/core/placement.hpp"

namespace faultline::checkpoints {

/// The rank that keeps the checkpoints of `self`: the first on another node from the same place of
/// the next node on. kNobody if all ranks lie on one node.
Rank keeper_of(const Placement& placement, const JobShape& job, Rank self);

}  // namespace faultline::checkpoints
