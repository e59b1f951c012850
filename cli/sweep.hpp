// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline sweep FILE --store RESULTS`: simulates every point of a study that the store does not
/// have yet. Returns the exit code of the worst outcome of the whole study. On an error, throws
/// UsageError and leaves the store unchanged.
int sweep_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline sweep`.
VerbOptions sweep_options();

}  // namespace faultline
