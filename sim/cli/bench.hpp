#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline bench`: messages per second through the full path (layer stack, route, LogGP cost,
/// auditor), beside a bare std::priority_queue on the same machine in the same minute.
int bench_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions bench_options();

}  // namespace faultline
