#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline compare STORE --by PATH --metric NAME`: which value of the path is better, wherever
/// all else is equal. Returns the exit code; throws UsageError, with nothing written, when
/// something is wrong.
int compare_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions compare_options();

}  // namespace faultline
