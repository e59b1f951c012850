// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline faults summarize|generate`: summarizes a trace of failures, or generates one from a
/// model.
int faults_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline faults`.
VerbOptions faults_options();

}  // namespace faultline
