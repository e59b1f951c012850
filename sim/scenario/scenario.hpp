#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/scenario/json_value.hpp"
#include "sim/scenario/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

enum class EngineKind { loggp, simgrid };

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

/// Reads and checks a scenario file. Throws UsageError with every error of the file, one a line:
/// "FILE: PATH: what is wrong, what was expected; did you mean ...".
Scenario load_scenario(const std::string& path, const ScenarioOverrides& overrides = {});

/// The same from JSON text; `file` names it in messages and anchors relative paths.
Scenario parse_scenario(const std::string& text, const std::string& file,
                        const ScenarioOverrides& overrides = {});

/// The same from a JSON tree; `problems` name the file and may hold what is known to be wrong.
Scenario read_scenario(const JsonValue& root, Problems& problems);

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

/// What the front-end must know of a SimGrid platform file.
struct XmlSummary {
  std::uint32_t hosts = 0;  ///< 0: not known
  std::uint32_t cores_per_host = 1;
  double local_latency_s = 0;      ///< of a host's route to itself
  double local_bandwidth_Bps = 0;  ///< of a host's route to itself; 0: without bound
};

/// Looks into a SimGrid platform file for a job of that many nodes. Throws UsageError where SimGrid
/// refuses the file, or the file has no route between two of the job's nodes.
using XmlInspector = std::function<XmlSummary(const std::string& path, std::uint32_t nodes)>;

/// What this program can do with a scenario, which the front-end, free of engines, cannot know.
struct ScenarioBackends {
  bool simgrid = true;  ///< false refuses engine simgrid and platform.xml
  /// Without it only the existence of a platform file is checked, and a host is taken to have one
  /// core.
  XmlInspector inspect_xml;
};

/// Wires the backends, once at the start of the program.
void set_scenario_backends(ScenarioBackends backends);

}  // namespace faultline
