#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline trace FILE`: simulates one replication of one point and writes what happened in it.
/// Returns the exit code of the run; throws UsageError, with nothing written, when something is
/// wrong or the run is too long.
int trace_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions trace_options();

}  // namespace faultline
