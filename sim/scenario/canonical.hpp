#pragma once

#include <string>

#include "sim/json/json_value.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// A checked value as JSON.
JsonValue option_json(const OptionValue& value);

/// The word that a scenario has for it.
std::string word_of(Mapping mapping);
std::string word_of(Progress progress);
std::string word_of(Ordering ordering);
std::string word_of(StopWhen when);
std::string word_of(EngineKind engine);

/// The scenario with everything resolved: defaults filled in, the machine by its values instead of
/// its name, one entry in `points` for each point. Members are sorted by key.
JsonValue canonical(const Scenario& scenario);

/// A canonical scenario as text.
struct CanonicalText {
  std::string json;
  /// Of what determines the results beside name, seed, replications and engine: FNV-1a of the text
  /// without these.
  std::string hash;
};
CanonicalText canonical_text(const JsonValue& canonical);

}  // namespace faultline
