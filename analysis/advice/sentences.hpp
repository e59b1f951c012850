// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/alternatives.hpp"

namespace faultline::advice {

/// The answer in a few sentences: what to use, what it costs, and what else would do; or that
/// nothing separates the alternatives, or that none will do.
std::string answer_sentences(const Field& field, const Findings& findings);

}  // namespace faultline::advice
