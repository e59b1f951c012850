// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline search`: draws scenarios that nobody has thought of, runs them and judges each run.
/// `arguments` are the words after the verb. Returns the exit code: 3 if something was found.
int search_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments that it takes.
VerbOptions search_options();

}  // namespace faultline
