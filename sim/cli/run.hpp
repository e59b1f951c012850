#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline run FILE`: simulates every replication of every point of a scenario. Returns the exit
/// code of the gravest outcome; throws UsageError, with nothing written, when something is wrong.
int run_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions run_options();

}  // namespace faultline
