#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline man`: the manual page, as man(1) reads it, from the declarations by which the command
/// line is parsed. Returns the exit code.
int man_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions man_options();

}  // namespace faultline
