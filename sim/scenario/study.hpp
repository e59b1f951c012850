#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sweep.hpp"

namespace faultline {

/// One point of a study: an ordinary scenario of one run specification.
struct StudyPoint {
  std::size_t combination = 0;     ///< of the sweep
  std::string hash;                ///< of what determines the result of each of its replications
  std::uint32_t replications = 0;  ///< of its scenario
};

/// A scenario file and all points of its sweep, checked. A file without a sweep is a study of one
/// point, or of the combinations of its listed components.
struct Study {
  std::string file;  ///< as the user named it
  std::string name;
  Sweep sweep;
  std::vector<std::string> notes;  ///< what a user should know of its points, each once
  std::vector<StudyPoint> points;  ///< those that satisfy the constraints, in order
  std::string hash;                ///< of the points, however many replications they have
  ScenarioBackends backends;       ///< with which its points are read
};

/// Reads a file and checks every point. Throws UsageError with every error: "FILE: PATH: what is
/// wrong (point 3: platform.processes=64)".
Study load_study(const std::string& path, const ScenarioOverrides& overrides = {},
                 const ScenarioBackends& backends = {});

/// The same from JSON text; `file` names it in messages and anchors relative paths.
Study parse_study(const std::string& text, const std::string& file,
                  const ScenarioOverrides& overrides = {}, const ScenarioBackends& backends = {});

/// The swept values of a point by their paths.
JsonValue::Object point_parameters(const Study& study, std::size_t point);

/// What tells a point from the others, "" for the only one.
std::string point_label(const Study& study, std::size_t point);

/// What tells a point from all others, wherever it is kept: a hash of the scenario's own hash, of
/// engine and seed. A replication has the same result however many there are.
std::string point_hash(const std::string& scenario_hash, const std::string& engine,
                       std::uint64_t seed);

/// Does the file make the point of that hash of these swept values, or would it, if its axes had
/// them?
bool would_make(const Study& study, const JsonValue::Object& parameters, const std::string& hash);

/// The scenario of a point.
Scenario point_scenario(const Study& study, std::size_t point);

}  // namespace faultline
