#pragma once

#include <string>

#include "analysis/traces/run_trace.hpp"

namespace faultline {

/// A run as a Paje trace, in seconds: a container for each node, process and worker core, states
/// for what they are at, links for messages that were handled, events for everything else.
std::string paje_text(const RunTrace& trace, const RunSpec& spec, const TraceTitle& title);

}  // namespace faultline
