// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

VerbOptions explore_options();
int explore_verb(const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace faultline
