// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/verdict/outcome.hpp"

namespace faultline::engine {

Outcome with_violation(Outcome outcome, const Violation& violation) {
  if (violation.kind == "premature") return Outcome::premature;
  switch (outcome) {
    case Outcome::terminated:
    case Outcome::finished:
    case Outcome::fatal_reported:
    case Outcome::all_failed:
      if (violation.kind == "wrong-state") return Outcome::wrong_state;
      return violation.kind == "inconsistent" ? Outcome::inconsistent : Outcome::violated;
    default:
      return outcome;
  }
}

const char* outcome_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::terminated:
      return "terminated";
    case Outcome::finished:
      return "finished";
    case Outcome::fatal_reported:
      return "fatal-reported";
    case Outcome::all_failed:
      return "all-failed";
    case Outcome::premature:
      return "premature";
    case Outcome::hung:
      return "hung";
    case Outcome::deadlock:
      return "deadlock";
    case Outcome::wrong_state:
      return "wrong-state";
    case Outcome::inconsistent:
      return "inconsistent";
    case Outcome::violated:
      return "violated";
    case Outcome::limit:
      return "limit";
    case Outcome::unsafe_detector:
      return "unsafe-detector";
  }
  return "";
}

std::vector<std::string> outcome_words() {
  std::vector<std::string> words;
  for (int outcome = 0; outcome <= static_cast<int>(Outcome::unsafe_detector); ++outcome)
    words.emplace_back(outcome_word(static_cast<Outcome>(outcome)));
  return words;
}

}  // namespace faultline::engine
