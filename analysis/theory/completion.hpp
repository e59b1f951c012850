// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/theory/closed_forms.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::theory {

/// A job that completes when it has done some pieces of work, one after another. Faults come at
/// exponential intervals, and take it back to the beginning of its piece at no other cost.
struct PieceByPiece {
  double pieces = 1.0;
  double piece_s = 0.0;  ///< of work in each
  double mtbf_s = 0.0;
  double until_s = 0.0;  ///< it must have completed by then
};

/// A probability above which it does not complete: Chernoff's bound, the least e^(s until) E[e^(-s
/// X)]^pieces over all s > 0. X is the time of a piece with all its repetitions, for which E[e^(-s
/// X)] = (l + s) e^(-(l + s) piece) / (s + l e^(-(l + s) piece)) with l = 1 / mtbf.
double most_complete(const PieceByPiece& job);

/// The largest share of runs that can complete, for a program that states how long it computes,
/// under faults of `poisson`. Either the first fault ends it, because nobody recovers, or because
/// the recovery gives up after the death of a node with several ranks; or every rank goes back to
/// the last checkpoint. Nothing if no such bound is known or if it is 1.
std::optional<ClosedForm> completion_form(const scenario::RunSpec& spec);

}  // namespace faultline::theory
