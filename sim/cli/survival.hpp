#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// `faultline survival`: the closed forms of adoption-2013-lifflander, Table 1, for any job size,
/// fanouts and fault distribution. `arguments` are those after the verb; the result goes to `out`.
/// Returns the exit code; throws UsageError, with nothing written, when an option or file is wrong.
int survival_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// What it takes.
VerbOptions survival_options();

}  // namespace faultline
