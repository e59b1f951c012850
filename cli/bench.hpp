// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline bench`: measures messages per second through the full path (layer stack, route, LogGP
/// cost, auditor), and for comparison a bare std::priority_queue at the same time.
int bench_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline bench`.
VerbOptions bench_options();

}  // namespace faultline
