#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline schema`: what a scenario can say, as JSON Schema or Markdown. Returns the exit code.
/// Throws UsageError for options that it does not know.
int schema_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions schema_options();

}  // namespace faultline
