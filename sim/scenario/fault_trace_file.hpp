// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/core/options.hpp"
#include "sim/faults/fault_trace.hpp"

namespace faultline::scenario {

/// Reads a trace of failures. Throws UsageError, which names the file, if it cannot be read, is not
/// a trace, or has no readable record.
FaultTraceInput read_fault_trace(const std::string& file);

}  // namespace faultline::scenario
