#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline validate FILE...`: checks scenario and machine files, prints what they are if they
/// are valid, and returns 0. Throws UsageError with all errors of all files.
int validate_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions validate_options();

}  // namespace faultline
