// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/workload_context.hpp"

namespace faultline::workloads {

/// Chooses `fanout` distinct ranks other than this one, with the component's own stream; every set
/// of them is equally likely (adoption-2013 section 5.2). `fanout` must be below the number of
/// processes.
std::vector<Rank> random_successors(WorkloadContext& context, Stream& random, std::uint32_t fanout);

}  // namespace faultline::workloads
