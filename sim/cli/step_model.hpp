#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline step-model`: control messages of four termination detectors, counted by the rules of
/// termination-2022 section 5.2 on a tree of tasks. `arguments` are those after the verb; the
/// result goes to `out`. Returns the exit code; throws UsageError, with nothing written, when an
/// option or the file is wrong.
int step_model_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions step_model_options();

}  // namespace faultline
