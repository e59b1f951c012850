#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline merge OUT IN...`: joins the stores of the parts of a study. Returns the exit code;
/// throws UsageError, with nothing written, when the stores do not fit.
int merge_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions merge_options();

}  // namespace faultline
