#pragma once

#include <string>

#include "sim/core/options.hpp"
#include "sim/faults/fault_trace.hpp"

namespace faultline {

/// Reads a trace of failures. Throws UsageError that names the file where it cannot be read, is no
/// trace, or has no record that can be read.
FaultTraceInput read_fault_trace(const std::string& file);

}  // namespace faultline
