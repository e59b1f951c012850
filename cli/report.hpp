// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline report`: writes one HTML page with charts about a store, or with the figures of
/// papers beside those measured. The exit code is 3 if a cell of a paper does not have the verdict
/// that its data file expects.
int report_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline report`.
VerbOptions report_options();

}  // namespace faultline
