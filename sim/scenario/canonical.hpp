// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/json/json_value.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {

/// A checked value as JSON.
json::JsonValue option_json(const OptionValue& value);

/// The word that a scenario uses for the value.
std::string word_of(Mapping mapping);
std::string word_of(Progress progress);
std::string word_of(Ordering ordering);
std::string word_of(StopWhen when);
std::string word_of(EngineKind engine);

/// The scenario with everything resolved: defaults are filled in, the machine is given by its
/// values instead of its name, and `points` has one entry for each point. Members are sorted by
/// key.
json::JsonValue canonical(const Scenario& scenario);

/// The FNV-1a hash of a canonical scenario's text without name, seed, replications and engine. It
/// covers everything else that determines the results.
std::string hash_of_canonical(const json::JsonValue& canonical);

}  // namespace faultline::scenario
