#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline query STORE`: what a store has, in groups, as a table, CSV or JSON. Returns the exit
/// code; throws UsageError, with nothing written, when something is wrong.
int query_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions query_options();

}  // namespace faultline
