// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline validate FILE...`: checks scenario and machine files, prints what each valid file is,
/// and returns 0. If a file is wrong, throws UsageError with all errors of all files.
int validate_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline validate`.
VerbOptions validate_options();

}  // namespace faultline
