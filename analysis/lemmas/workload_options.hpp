// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/options.hpp"

namespace faultline::lemmas {

struct FaultSchedule;

/// True if the workload of a schedule is a program of TryBlocks in every stack: a stencil is one
/// under transactions alone, and schedules have stencils for message logging.
bool has_try_blocks(const FaultSchedule& schedule);

/// The options of a schedule's workload that are not the defaults.
OptionValues workload_options(const FaultSchedule& schedule);

}  // namespace faultline::lemmas
