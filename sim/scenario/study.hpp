// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sweep.hpp"

namespace faultline::scenario {

/// One point of a study: an ordinary scenario with one run specification.
struct StudyPoint {
  std::size_t combination = 0;     ///< number of the combination in the sweep
  std::string hash;                ///< covers all that determines the result of a replication
  std::uint32_t replications = 0;  ///< as its scenario states them
};

/// A scenario file and all points of its sweep, checked. A file without a sweep is a study of one
/// point, or of the combinations of its listed components.
struct Study {
  std::string file;  ///< as the user named it
  std::string name;
  Sweep sweep;
  std::vector<std::string> notes;  ///< what a user should know about its points, each note once
  std::vector<StudyPoint> points;  ///< those that satisfy the constraints, in order
  std::string hash;                ///< of the points, whatever their number of replications
  ScenarioBackends backends;       ///< used to read its points
};

/// Reads a file and checks every point. Throws UsageError with every error: "FILE: PATH: what is
/// wrong (point 3: platform.processes=64)".
Study load_study(const std::string& path, const ScenarioOverrides& overrides = {},
                 const ScenarioBackends& backends = {});

/// Like load_study, but from JSON text. `file` names it in messages, and relative paths are
/// relative to its folder.
Study parse_study(const std::string& text, const std::string& file,
                  const ScenarioOverrides& overrides = {}, const ScenarioBackends& backends = {});

/// The swept values of a point, by their paths.
json::JsonValue::Object point_parameters(const Study& study, std::size_t point);

/// Text that tells a point from the study's other points; "" if the study sweeps nothing.
std::string point_label(const Study& study, std::size_t point);

/// Identifies a point among those of all studies: a hash of the scenario's own hash, engine and
/// seed. It leaves out the number of replications, on which no replication's result depends.
std::string point_hash(const std::string& scenario_hash, const std::string& engine,
                       std::uint64_t seed);

/// True if the study has, at these swept values, the point with that hash. The values need not be
/// on its axes.
bool would_make(const Study& study, const json::JsonValue::Object& parameters,
                const std::string& hash);

/// The scenario of a point.
Scenario point_scenario(const Study& study, std::size_t point);

}  // namespace faultline::scenario
