// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline run FILE`: simulates every replication of every point of a scenario. Returns the exit
/// code of the worst outcome. On an error, throws UsageError and writes nothing.
int run_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline run`.
VerbOptions run_options();

}  // namespace faultline
