// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline reproduce`: reproduces the tables of the papers, cell by cell. The exit code is 3 if
/// a cell does not have the verdict that its data file expects.
int reproduce_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline reproduce`.
VerbOptions reproduce_options();

}  // namespace faultline
