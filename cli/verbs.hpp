// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace faultline {

/// One word of the command line after `faultline`.
struct Verb {
  const char* name;
  const char* summary;
  VerbOptions (*options)();
  int (*run)(const std::vector<std::string>& arguments, std::ostream& out);
  std::vector<VerbOptions (*)()> second_words = {};  ///< "generate" of "faults generate"
};

/// All verbs, in the order in which help shows them.
const std::vector<Verb>& verbs();

/// The options of every verb. Verbs of two words ("faults generate") follow their first word.
std::vector<VerbOptions> commands();

}  // namespace faultline
