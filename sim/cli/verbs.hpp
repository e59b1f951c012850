#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// One word of the command line after `faultline`.
struct Verb {
  const char* name;
  const char* summary;
  VerbOptions (*options)();
  int (*run)(const std::vector<std::string>& arguments, std::ostream& out);
  std::vector<VerbOptions (*)()> second_words = {};  ///< "generate" of "faults generate"
};

/// All verbs, in the order in which they are shown.
const std::vector<Verb>& verbs();

/// What every verb takes, those of two words ("faults generate") behind their first.
std::vector<VerbOptions> commands();

}  // namespace faultline
