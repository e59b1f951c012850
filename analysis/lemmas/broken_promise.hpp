// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/types.hpp"
#include "sim/engine/verdict/run_result.hpp"

namespace faultline::lemmas {

/// The ways in which a protocol can break a promise. Each is counted separately.
enum class LemmaFigure : std::uint8_t {
  premature,
  hung,
  given_up,      ///< needlessly, or at a wrong place or time
  not_given_up,  ///< not given up, although it had to
  missed,        ///< a live rank did not hear of a death
  false_report,  ///< a live rank was reported dead
  told_twice,    ///< a rank's detector reported one death twice
  wrong_state,   ///< the program did not come to its right end
  inconsistent,  ///< survivors of a TryBlock were told different outcomes, or wrong ones
  other,
};

/// The figures of what protocols of that family promise, in the order of the enumeration: detectors
/// of termination, of failures, message logging, or transactions.
const std::vector<LemmaFigure>& lemma_figures(Family family);

/// The name of a figure in data files and counterexamples, such as "not given up".
std::string lemma_figure_word(LemmaFigure figure);

/// A promise that a protocol broke in a run.
struct BrokenPromise {
  LemmaFigure figure = LemmaFigure::other;
  std::string text;  ///< what happened, for people

  bool operator==(const BrokenPromise&) const = default;
};

/// The promise that a violation breaks.
BrokenPromise promise_broken_by(const audit::Violation& violation);

/// The promise that a run broke by ending otherwise than by finishing or giving up; nothing if it
/// did one of these.
std::optional<BrokenPromise> promise_broken_by_end(const engine::RunResult& result);

/// The promise that a broken invariant breaks. Such a run has no result, so it keeps no promise.
BrokenPromise promise_broken_by(const BrokenInvariant& broken);

}  // namespace faultline::lemmas
