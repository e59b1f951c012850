// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline step-model`: counts the control messages of four termination detectors on a tree of
/// tasks, by the rules of termination-2022 section 5.2. `arguments` are the words after the verb.
/// The result goes to `out`. Returns the exit code. If an option or the file is wrong, throws
/// UsageError and writes nothing.
int step_model_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline step-model`.
VerbOptions step_model_options();

}  // namespace faultline
