#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/audit/auditor.hpp"

namespace faultline {

/// The ways in which a protocol can break a promise, each counted on its own.
enum class LemmaFigure : std::uint8_t {
  premature,
  hung,
  given_up,      ///< without need, or elsewhere or at another time than where it had to
  not_given_up,  ///< although it had to
  other,
};

/// All of them, in that order.
const std::vector<LemmaFigure>& lemma_figures();

/// The name that data files and counterexamples have for it ("not given up").
std::string lemma_figure_word(LemmaFigure figure);

/// What a protocol has promised and not kept in a run.
struct BrokenPromise {
  LemmaFigure figure = LemmaFigure::other;
  std::string text;  ///< what happened, for people

  bool operator==(const BrokenPromise&) const = default;
};

/// The promise that a violation breaks.
BrokenPromise promise_broken_by(const Violation& violation);

}  // namespace faultline
