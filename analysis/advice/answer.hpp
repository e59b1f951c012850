// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "analysis/advice/advice.hpp"
#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::advice {

/// The answer for a terminal: the sentences, where the choice changes, the ranking, what the answer
/// rests on, what was refused, and what it took. Of each stack with tuned options the ranking has
/// the best values.
std::string answer_text(const Question& question, const Field& field, const Advice& advice,
                        std::size_t max_width = text::kUsualWidth);

/// The same for programs (docs/advise.md).
json::JsonValue answer_json(const Question& question, const Field& field, const Advice& advice);

/// What a dry run says: the alternatives, those that are refused, and the rules.
std::string dry_run_text(const Question& question, const Field& field);

}  // namespace faultline::advice
