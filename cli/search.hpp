// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline search`: draws scenarios that nobody has thought of, runs them and judges each run.
/// `arguments` are the words after the verb. The exit code is 3 if it finds something.
int search_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline search`.
VerbOptions search_options();

}  // namespace faultline
