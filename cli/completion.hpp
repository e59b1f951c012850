// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline completion bash|zsh`: prints a script that makes a shell complete this command line.
/// It is made from the declarations that the parser uses. Returns the exit code.
int completion_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline completion`.
VerbOptions completion_options();

}  // namespace faultline
