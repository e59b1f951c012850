// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline tree`: draws a random task tree of termination-2022 section 5.2 and writes it as
/// JSON, for `step-model` and others. `arguments` are the words after the verb. Prints on `out`
/// what it wrote. Returns the exit code. If an option is wrong, throws UsageError and writes
/// nothing.
int tree_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline tree`.
VerbOptions tree_options();

}  // namespace faultline
