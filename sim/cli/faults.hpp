#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline faults summarize|generate`: what a trace of failures says, and traces from models.
int faults_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions faults_options();

}  // namespace faultline
