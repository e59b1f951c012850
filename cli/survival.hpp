// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// `faultline survival`: computes the closed forms of adoption-2013-lifflander, Table 1, for any
/// job size, fanouts and fault distribution. `arguments` are the words after the verb. The result
/// goes to `out`. Returns the exit code. If an option or file is wrong, throws UsageError and
/// writes nothing.
int survival_verb(const std::vector<std::string>& arguments, std::ostream& out);

/// The options and arguments of `faultline survival`.
VerbOptions survival_options();

}  // namespace faultline
