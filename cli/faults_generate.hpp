// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline faults generate`. `arguments` are the words after that. Returns the exit code.
int faults_generate(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline faults generate`.
VerbOptions generate_options();

}  // namespace faultline
