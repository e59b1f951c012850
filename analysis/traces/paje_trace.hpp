// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/traces/run_trace.hpp"

namespace faultline::traces {

/// A run as a Paje trace, in seconds. Each node, process and worker core is a container with a
/// state for its activity. A message that was handled is a link; everything else is an event.
std::string paje_text(const RunTrace& trace, const scenario::RunSpec& spec,
                      const TraceTitle& title);

}  // namespace faultline::traces
