// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline list [protocols|workloads|machines|engines|faults] [--format table|json]`: lists what
/// a scenario can name. Returns the exit code. Throws UsageError for unknown words.
int list_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline list`.
VerbOptions list_options();

}  // namespace faultline
