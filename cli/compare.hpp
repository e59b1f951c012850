// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline compare STORE --by PATH --metric NAME`: compares the values of the path among points
/// that are otherwise equal. Returns the exit code. On an error, throws UsageError and writes
/// nothing.
int compare_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline compare`.
VerbOptions compare_options();

}  // namespace faultline
