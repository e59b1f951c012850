// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"

namespace faultline::cli {

/// What a shell can offer at one place of a command line.
struct Completed {
  std::string name;                ///< what belongs there, "" if nothing does
  std::vector<std::string> words;  ///< words to offer; if there are none,
  bool files = false;              ///< offer files,
  bool directories = false;        ///< or else directories
  bool assigns = false;            ///< PATH=VALUE of --set: `words` are the paths
  bool repeats = false;            ///< several words can stand there
  std::string stored = {};         ///< what `completion` is asked for about a store, or ""
};

/// An option of a verb, as a shell completes it.
struct CompletedOption {
  std::string name;
  std::string doc;
  std::string shown;  ///< the name of its value, such as FILE
  bool takes_value = false;
  bool repeats = false;
  Completed value = {};
};

std::vector<CompletedOption> completed_options(const VerbOptions& verb);

/// What can stand after a verb without the name of an option, place by place. More words of the
/// last kind can follow if it repeats.
std::vector<Completed> completed_arguments(const VerbOptions& verb);

/// The paths of plain values in a scenario, which --set can change.
std::vector<std::string> set_paths();

/// For each such path with few possible values, these values.
std::vector<std::pair<std::string, std::vector<std::string>>> set_values();

}  // namespace faultline::cli
