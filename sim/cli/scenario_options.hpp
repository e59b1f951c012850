#pragma once

#include "sim/cli/options.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// Declares the file and the options by which verbs that simulate change a scenario: --set, --seed
/// and --engine.
void add_scenario_options(VerbOptions& verb);

/// What these options change. Throws UsageError.
ScenarioOverrides scenario_overrides(const VerbOptions& verb,
                                     const boost::program_options::variables_map& values);

/// The scenario file of the command line. Throws UsageError if there is none.
std::string scenario_file(const VerbOptions& verb,
                          const boost::program_options::variables_map& values);

}  // namespace faultline
