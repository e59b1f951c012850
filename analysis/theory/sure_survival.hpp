// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/scenario/run_spec.hpp"

namespace faultline::theory {

/// True if theory says that a run completes, whichever of its ranks is the victim, although a fault
/// of this size strikes it: one rank dies, rank 0 is spared, nobody else can die or be declared
/// dead, and the components state that none of them may give up after such a death
/// (sim/core/may_give_up). The auditor holds each run to that. False says nothing.
bool survives_surely(const scenario::RunSpec& spec, std::int64_t failed);

}  // namespace faultline::theory
