// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline man`: prints the manual page for man(1), made from the declarations that the parser
/// of the command line uses. Returns the exit code.
int man_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline man`.
VerbOptions man_options();

}  // namespace faultline
