// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline trace FILE`: simulates one replication of one point and writes what happened in it.
/// Returns the exit code of the run. On an error, and if the run is too long, throws UsageError and
/// writes nothing.
int trace_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline trace`.
VerbOptions trace_options();

}  // namespace faultline
