// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline query STORE`: prints the results of a store, in groups, as a table, CSV or JSON.
/// Returns the exit code. On an error, throws UsageError and writes nothing.
int query_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline query`.
VerbOptions query_options();

}  // namespace faultline
