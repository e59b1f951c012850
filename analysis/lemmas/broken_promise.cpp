// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/broken_promise.hpp"

namespace faultline::lemmas {

const std::vector<LemmaFigure>& lemma_figures(Family family) {
  static const std::vector<LemmaFigure> of_termination{
      LemmaFigure::premature, LemmaFigure::hung, LemmaFigure::given_up, LemmaFigure::not_given_up,
      LemmaFigure::other};
  static const std::vector<LemmaFigure> of_failures{LemmaFigure::missed, LemmaFigure::false_report,
                                                    LemmaFigure::told_twice, LemmaFigure::other};
  static const std::vector<LemmaFigure> of_recovery{LemmaFigure::hung, LemmaFigure::given_up,
                                                    LemmaFigure::wrong_state, LemmaFigure::other};
  static const std::vector<LemmaFigure> of_blocks{LemmaFigure::hung, LemmaFigure::given_up,
                                                  LemmaFigure::wrong_state,
                                                  LemmaFigure::inconsistent, LemmaFigure::other};
  if (family == Family::transactions) return of_blocks;
  if (family == Family::message_logging) return of_recovery;
  return family == Family::failure_detection ? of_failures : of_termination;
}

std::string lemma_figure_word(LemmaFigure figure) {
  switch (figure) {
    case LemmaFigure::premature:
      return "premature";
    case LemmaFigure::hung:
      return "hung";
    case LemmaFigure::given_up:
      return "given up";
    case LemmaFigure::not_given_up:
      return "not given up";
    case LemmaFigure::missed:
      return "missed";
    case LemmaFigure::false_report:
      return "false report";
    case LemmaFigure::told_twice:
      return "told twice";
    case LemmaFigure::wrong_state:
      return "wrong state";
    case LemmaFigure::inconsistent:
      return "inconsistent";
    case LemmaFigure::other:
      break;
  }
  return "other";
}

BrokenPromise promise_broken_by(const audit::Violation& violation) {
  BrokenPromise broken{.text = violation.kind + ": " + violation.detail};
  if (violation.kind == "premature") broken.figure = LemmaFigure::premature;
  if (violation.kind == "hung") broken.figure = LemmaFigure::hung;
  if (violation.kind == "wrong-state") broken.figure = LemmaFigure::wrong_state;
  if (violation.kind == "inconsistent") broken.figure = LemmaFigure::inconsistent;
  if (violation.kind == "needless-fatal") broken.figure = LemmaFigure::given_up;
  return broken;
}

BrokenPromise promise_broken_by(const BrokenInvariant& broken) {
  return {.text = std::string("broken invariant: ") + broken.what()};
}

std::optional<BrokenPromise> promise_broken_by_end(const engine::RunResult& result) {
  if (!result.violations.empty()) {
    BrokenPromise broken = promise_broken_by(result.violations.front());
    if (result.outcome == engine::Outcome::deadlock) broken.figure = LemmaFigure::hung;
    return broken;
  }
  const std::string ended = std::string("the run ended as ") + engine::outcome_word(result.outcome);
  switch (result.outcome) {
    case engine::Outcome::finished:
    case engine::Outcome::terminated:
    case engine::Outcome::fatal_reported:
      return std::nullopt;
    case engine::Outcome::deadlock:
    case engine::Outcome::hung:
    case engine::Outcome::limit:
      return BrokenPromise{LemmaFigure::hung, ended};
    default:
      return BrokenPromise{LemmaFigure::other, ended};
  }
}

}  // namespace faultline::lemmas
