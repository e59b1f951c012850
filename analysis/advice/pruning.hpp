// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/question.hpp"

namespace faultline::advice {

/// The field of a question without what breaks a requirement by a closed form
/// (theory::closed_forms), whatever runs would say. What is used today races all the same, so that
/// the answer can compare it. If nothing else is left, none is pruned. Throws as field_of does.
Field pruned_field(const Question& question);

}  // namespace faultline::advice
