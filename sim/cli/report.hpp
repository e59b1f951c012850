#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline report`: a store, or what papers print beside what is measured, as one HTML page with
/// charts. The exit code is 3 if a cell of a paper has not the verdict that its data file expects.
int report_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions report_options();

}  // namespace faultline
