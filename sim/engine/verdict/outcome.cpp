// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/verdict/outcome.hpp"

#include <array>
#include <cstddef>

namespace faultline::engine {

namespace {

/// By outcome.
constexpr std::array kWords{"terminated",     "finished", "fatal-reported", "all-failed",
                            "premature",      "hung",     "deadlock",       "wrong-state",
                            "inconsistent",   "violated", "limit",          "missed-death",
                            "unsafe-detector"};
static_assert(kWords.size() == static_cast<std::size_t>(Outcome::unsafe_detector) + 1);

/// A process that waits because it is not told of a death is not to blame, nor is the limit at
/// which it still waits. Other broken promises stand.
Outcome with_missed_death(Outcome outcome) {
  switch (outcome) {
    case Outcome::premature:
    case Outcome::wrong_state:
    case Outcome::inconsistent:
    case Outcome::violated:
    case Outcome::unsafe_detector:
      return outcome;
    default:
      return Outcome::missed_death;
  }
}

}  // namespace

bool names_unheard_death(const audit::Violation& violation) {
  return violation.kind == "missed-death" || violation.kind == "unheard-death";
}

Outcome with_violation(Outcome outcome, const audit::Violation& violation) {
  if (violation.kind == "premature") return Outcome::premature;
  if (names_unheard_death(violation)) return with_missed_death(outcome);
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

bool is_broken_promise(Outcome outcome) {
  switch (outcome) {
    case Outcome::premature:
    case Outcome::hung:
    case Outcome::deadlock:
    case Outcome::wrong_state:
    case Outcome::inconsistent:
    case Outcome::violated:
    case Outcome::missed_death:
    case Outcome::unsafe_detector:
      return true;
    default:
      return false;
  }
}

const char* outcome_word(Outcome outcome) { return kWords[static_cast<std::size_t>(outcome)]; }

std::vector<std::string> outcome_words() { return {kWords.begin(), kWords.end()}; }

}  // namespace faultline::engine
