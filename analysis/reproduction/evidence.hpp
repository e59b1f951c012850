// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace faultline::reproduction {

/// What a match is evidence of, for the paper and for the simulator. Every cell that states a value
/// declares it (docs/reproduction.md). Strongest first:
///
/// - `predicted`: a value that the paper prints, or its closed form at the parameters of the cell,
///   met by runs to which nothing of it was fitted;
/// - `bound`: a bound that the paper prints, or the least that its words mean;
/// - `formula`: the paper's own closed form, computed again, without a run;
/// - `calibrated`: a model, cost or reading was chosen so that this value comes out, or one that
///   implies it;
/// - `own_theory`: our arithmetic and our runs agree;
/// - `property`: what must hold in every run, and did in all that were made.
enum class Evidence { predicted, bound, formula, calibrated, own_theory, property };

/// All kinds, in the order in which they are counted.
const std::vector<Evidence>& all_evidence();

/// The word for a kind in data files and reports: "own theory".
const char* evidence_word(Evidence evidence);
std::vector<std::string> evidence_words();
std::optional<Evidence> evidence_of(const std::string& word);

}  // namespace faultline::reproduction
