#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline completion bash|zsh`: the text that makes a shell complete this command line, from
/// the declarations by which it is parsed. Returns the exit code.
int completion_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions completion_options();

}  // namespace faultline
