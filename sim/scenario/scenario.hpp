#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// A checked scenario: nothing in it can be wrong any more for reasons that the file tells.
struct Scenario {
  std::string file;  ///< as the user named it, for messages
  std::string name;
  EngineKind engine = EngineKind::loggp;
  std::uint64_t seed = 1;
  std::uint32_t replications = 1;
  std::vector<RunSpec> points;            ///< one per combination of listed layers, in file order
  std::vector<std::string> point_labels;  ///< what tells the points apart ("cda"), "" for one point
  std::vector<std::string> notes;         ///< what a user should know, one line each
  std::string canonical_json;             ///< resolved, defaults filled in, keys sorted
  std::string hash;  ///< of canonical_json less name, seed, replications, engine
};

/// What the command line changes in a scenario before it is checked.
struct ScenarioOverrides {
  std::vector<std::string> sets;  ///< "PATH=JSON", in order
};

/// What can be done with a scenario beside checking it: by default what this build can do.
struct ScenarioBackends {
  bool simgrid = kHasSimGrid;  ///< false refuses engine simgrid and platform.xml
  /// Without it only the existence of a platform file is checked, and a host is taken to have one
  /// core.
  XmlInspector inspect_xml = xml_inspector();
};

/// Reads and checks a scenario file. Throws UsageError with every error of the file, one a line:
/// "FILE: PATH: what is wrong, what was expected; did you mean ...".
Scenario load_scenario(const std::string& path, const ScenarioOverrides& overrides = {},
                       const ScenarioBackends& backends = {});

/// The same from JSON text; `file` names it in messages and anchors relative paths.
Scenario parse_scenario(const std::string& text, const std::string& file,
                        const ScenarioOverrides& overrides = {},
                        const ScenarioBackends& backends = {});

/// The same from a JSON tree; `problems` name the file and may hold what is known to be wrong.
Scenario read_scenario(const JsonValue& root, Problems& problems,
                       const ScenarioBackends& backends = {});

/// The JSON Schema (draft 2020-12) of scenarios, from the registered declarations.
std::string scenario_schema();

/// The same as a page to read, in Markdown.
std::string scenario_reference();

/// Reads and checks a machine file (whatever has a '/' or ends in .json; relative to the directory
/// `relative_to`, "" being the working directory), or a shipped machine by name. Throws UsageError
/// with every error of the file.
Machine load_machine(const std::string& name_or_path, const std::string& relative_to);

/// Names of the shipped machines, sorted.
std::vector<std::string> shipped_machines();

}  // namespace faultline
