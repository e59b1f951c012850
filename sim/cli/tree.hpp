#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline tree`: draws a random task tree of termination-2022 section 5.2 and writes it as JSON
/// for `step-model` and others. `arguments` are those after the verb; what was written is said on
/// `out`. Returns the exit code; throws UsageError, with nothing written, when an option is wrong.
int tree_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions tree_options();

}  // namespace faultline
