// SPDX-License-Identifier: Apache-2.0
#include "cli/scenario_options.hpp"

#include "sim/core/error.hpp"

namespace faultline::cli {

namespace po = boost::program_options;

void add_scenario_options(VerbOptions& verb) {
  auto add = verb.options.add_options();
  add("set", po::value<std::vector<std::string>>()->composing()->value_name("PATH=VALUE"),
      R"(change the scenario; VALUE is JSON, as in --set 'termination={"name":"cda"}')");
  add("seed", po::value<std::string>()->value_name("N"), "instead of the scenario's");
  add("engine", po::value<std::string>()->value_name("E"), "loggp or simgrid");
  verb.hidden.add_options()("file", po::value<std::string>());
  verb.positional.add("file", 1);
  verb.choices["engine"] = only({"loggp", "simgrid"});
}

scenario::ScenarioOverrides scenario_overrides(const VerbOptions& verb,
                                               const po::variables_map& values) {
  const auto named = [&](const char* option) { return verb.verb + ": --" + option; };
  scenario::ScenarioOverrides overrides;
  overrides.sets = words_of(values, "set");
  if (values.count("seed") != 0) {
    const std::string text = values["seed"].as<std::string>();
    whole_number(named("seed"), text, 0, 9007199254740992);
    overrides.sets.push_back("seed=" + text);
  }
  if (values.count("engine") != 0)
    overrides.sets.push_back("engine=\"" + values["engine"].as<std::string>() + "\"");
  return overrides;
}

std::string scenario_file(const VerbOptions& verb, const po::variables_map& values) {
  if (values.count("file") != 0) return values["file"].as<std::string>();
  throw UsageError(verb.verb + ": expected a scenario file: faultline " + verb.verb +
                   " FILE (see faultline " + verb.verb + " --help)");
}

}  // namespace faultline::cli
