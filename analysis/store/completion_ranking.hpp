// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/store/comparison.hpp"

namespace faultline::store {

/// Ranks the contenders of a situation, whose pairs are made, by the share of their runs that
/// completed. Whose interval lies below that of the best cannot win, whatever it costs. Where these
/// intervals tell the two of a pair apart, they decide it, and elsewhere the metric has.
void rank_by_completion(Situation& situation);

/// True if the contender completes at least half of its runs, or if that is no question: what gives
/// up more often than not is nobody's choice.
bool completes_half(const Contender& contender);

/// Why a situation has no winner, in words.
std::string undecided_text(const Situation& situation);

/// The share of a contender's runs that completed, and whether it cannot win for that: "0.97 [0.83,
/// 1.00]", "0.03 [0.00, 0.17], worse"; "-" where that is no question.
std::string completed_text(const Contender& contender);

/// True if some run has not completed, so that a reader must see these shares.
bool some_have_not_completed(const Comparison& comparison);

/// ", over 37 runs that completed" if some have not, and only those that did have the metric; else
/// "".
std::string survivors_words(const Comparison& comparison, const std::string& metric);

}  // namespace faultline::store
