// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline merge OUT IN...`: joins the stores of the parts of a study. Returns the exit code. If
/// the stores do not fit together, throws UsageError and writes nothing.
int merge_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline merge`.
VerbOptions merge_options();

}  // namespace faultline
