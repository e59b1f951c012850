// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline schema`: prints what a scenario can contain, as JSON Schema or Markdown. Returns the
/// exit code. Throws UsageError for unknown options.
int schema_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline schema`.
VerbOptions schema_options();

}  // namespace faultline
