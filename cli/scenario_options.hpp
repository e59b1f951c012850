// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::cli {

/// Declares the scenario file and the options that change a scenario, --set, --seed and --engine,
/// for verbs that simulate.
void add_scenario_options(VerbOptions& verb);

/// The changes that these options ask for. Throws UsageError if an option is wrong.
scenario::ScenarioOverrides scenario_overrides(const VerbOptions& verb,
                                               const boost::program_options::variables_map& values);

/// The scenario file of the command line. Throws UsageError if there is none.
std::string scenario_file(const VerbOptions& verb,
                          const boost::program_options::variables_map& values);

}  // namespace faultline::cli
