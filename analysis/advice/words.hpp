// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/alternatives.hpp"
#include "analysis/statistics/summary.hpp"
#include "analysis/text/summary_text.hpp"

namespace faultline::advice {

/// "a, b and c".
std::string all_of(const std::vector<std::string>& list);

/// "checkpoint_iterations 2": what is tuned in an alternative; "" if nothing is.
std::string tuned_value(const Alternative& alternative);

/// "fast and ulfm with timeout_s 2 and swim with period_s 1".
std::string all_of(const std::vector<const Alternative*>& list);

/// The unit in which all means of the objective are printed.
text::TimeUnit unit_of(const Findings& findings);

/// A metric without its unit, which may be another one where it is printed: "time to solution".
std::string words_of(const std::string& metric);

/// "98.8": a share of a hundred, with three digits.
std::string of_hundred(double share);

/// "98.8 %".
std::string percent(double share);

/// "613.2 +- 2.3 s": a mean of the objective.
std::string with_unit(const Findings& findings, const statistics::Summary& summary);

/// "98.8 % [97.1, 100]" for a share, and any other mean as everywhere.
std::string mean_words(const statistics::Summary& mean);

/// "completed 98.8 % [97.1, 100]".
std::string requirement_words(const Requirement& requirement, const statistics::Summary& mean);

/// All that the question requires.
std::string requirements_text(const RaceRules& rules);

/// "further runs would exceed the budget".
std::string why_ended(RaceEnd end);

/// By what the race was decided.
std::string rules_text(const RaceRules& rules);

}  // namespace faultline::advice
