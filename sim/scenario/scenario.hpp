// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// A checked scenario: every error that can be found from the file alone has been ruled out.
struct Scenario {
  std::string file;  ///< as the user named it, for messages
  std::string name;
  EngineKind engine = EngineKind::loggp;
  std::uint64_t seed = 1;
  std::uint32_t replications = 1;
  std::vector<RunSpec> points;            ///< one per combination of listed layers, in file order
  std::vector<std::string> point_labels;  ///< tells the points apart ("cda"), "" for a single point
  std::vector<std::string> notes;         ///< what a user should know, one line each
  std::string hash;                       ///< hash_of_canonical (sim/scenario/canonical)
};

/// What the command line changes in a scenario before it is checked.
struct ScenarioOverrides {
  std::vector<std::string> sets;  ///< "PATH=JSON", in order
};

/// What is available to run and inspect scenarios. The defaults are what this build has.
struct ScenarioBackends {
  bool simgrid = platform::kHasSimGrid;  ///< if false, engine simgrid and platform.xml are refused
  /// Inspects platform files. If empty, only the existence of a file is checked, and each host is
  /// assumed to have one core.
  platform::XmlInspector inspect_xml = platform::xml_inspector();
};

/// Reads and checks a scenario file. Throws UsageError with every error of the file, one per line:
/// "FILE: PATH: what is wrong, what was expected; did you mean ...".
Scenario load_scenario(const std::string& path, const ScenarioOverrides& overrides = {},
                       const ScenarioBackends& backends = {});

/// Like load_scenario, but from JSON text. `file` names it in messages, and relative paths are
/// relative to its folder.
Scenario parse_scenario(const std::string& text, const std::string& file,
                        const ScenarioOverrides& overrides = {},
                        const ScenarioBackends& backends = {});

/// Like load_scenario, but from a JSON tree. `problems` has the name of the file and may already
/// have errors.
Scenario read_scenario(const json::JsonValue& root, json::Problems& problems,
                       const ScenarioBackends& backends = {});

/// The JSON Schema (draft 2020-12) of scenarios, from the registered declarations, as text and as a
/// tree.
std::string scenario_schema();
json::JsonValue scenario_schema_tree();

/// A reference page of scenarios in Markdown, from the same declarations.
std::string scenario_reference();

/// Reads and checks a machine. A text that contains a '/' or ends in .json is the path of a machine
/// file, relative to the directory `relative_to` ("" is the working directory). Any other text is
/// the name of a shipped machine. Throws UsageError with every error of the file.
platform::Machine load_machine(const std::string& name_or_path, const std::string& relative_to);

/// Names of the shipped machines, sorted.
std::vector<std::string> shipped_machines();

}  // namespace faultline::scenario
