#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/cli/options.hpp"

namespace faultline {

/// What a shell can offer in one place of a command line.
struct Completed {
  std::string name;                ///< of what stands there, "" where nothing does
  std::vector<std::string> words;  ///< these, or if there are none
  bool files = false;              ///< files,
  bool directories = false;        ///< directories, or nothing
  bool assigns = false;            ///< PATH=VALUE of --set: `words` are the paths
  bool repeats = false;            ///< several can stand there
  std::string stored = {};         ///< what the verb `completion` says of the store that is named
};

/// An option of a verb for a shell.
struct CompletedOption {
  std::string name;
  std::string doc;
  std::string shown;  ///< the name of its value
  bool takes_value = false;
  bool repeats = false;
  Completed value = {};
};

std::vector<CompletedOption> completed_options(const VerbOptions& verb);

/// What stands without a name after a verb.
Completed completed_argument(const VerbOptions& verb);

/// The paths of plain values in a scenario, which --set can change.
std::vector<std::string> set_paths();

/// The words that such a path can be set to, where there are few.
std::vector<std::pair<std::string, std::vector<std::string>>> set_values();

}  // namespace faultline
