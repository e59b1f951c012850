// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/words.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/statistics/metric_type.hpp"

namespace faultline::advice {

std::string all_of(const std::vector<std::string>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i)
    text += (i == 0 ? "" : i + 1 == list.size() ? " and " : ", ") + list[i];
  return text;
}

std::string tuned_value(const Alternative& alternative) {
  const bool is_tuned = alternative.name != alternative.stack;
  return is_tuned ? alternative.name.substr(alternative.stack.size() + 2) : "";
}

std::string all_of(const std::vector<const Alternative*>& list) {
  std::vector<std::string> values;
  for (const Alternative* one : list)
    if (!names(values, tuned_value(*one))) values.push_back(tuned_value(*one));
  std::vector<std::string> groups;
  for (const std::string& value : values) {
    std::vector<std::string> stacks;
    for (const Alternative* one : list)
      if (tuned_value(*one) == value) stacks.push_back(one->stack);
    groups.push_back(all_of(stacks) + (value.empty() ? "" : " with " + value));
  }
  return all_of(groups);
}

text::TimeUnit unit_of(const Findings& findings) {
  double largest = 0;
  for (const Contestant& one : findings.contestants)
    largest = std::max(largest, std::fabs(one.objective.mean.value_or(0)));
  return text::unit_of(statistics::metric_type(findings.rules.objective), largest);
}

std::string words_of(const std::string& metric) {
  std::string words = statistics::without_unit(metric);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string of_hundred(double share) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3g", 100 * share);
  return digits;
}

std::string percent(double share) { return of_hundred(share) + " %"; }

std::string with_unit(const Findings& findings, const statistics::Summary& summary) {
  const text::TimeUnit unit = unit_of(findings);
  const std::string text = text::with_interval(summary, unit.in_one_s);
  return *unit.word == '\0' ? text : text + " " + unit.word;
}

std::string mean_words(const statistics::Summary& mean) {
  if (!mean.is_share || !mean.mean) return text::with_interval(mean);
  std::string text = of_hundred(*mean.mean) + " %";
  if (mean.confidence_95)
    text += " [" + of_hundred(mean.confidence_95->low) + ", " +
            of_hundred(mean.confidence_95->high) + "]";
  return text;
}

std::string requirement_words(const Requirement& requirement, const statistics::Summary& mean) {
  return words_of(requirement.metric) + " " + mean_words(mean);
}

std::string requirements_text(const RaceRules& rules) {
  std::vector<std::string> list;
  for (const Requirement& requirement : rules.require)
    list.push_back(requirement_text(requirement));
  return all_of(list);
}

std::string why_ended(RaceEnd end) {
  switch (end) {
    case RaceEnd::budget:
      return "further runs would exceed the budget";
    case RaceEnd::most_runs:
      return "no more are made";
    case RaceEnd::time_limit:
      return "the time is up";
    default:
      return "it was interrupted";
  }
}

std::string rules_text(const RaceRules& rules) {
  std::string text = (rules.higher_is_better ? "Largest " : "Least ") + words_of(rules.objective);
  if (!rules.require.empty()) text += ", with " + requirements_text(rules);
  return text + "; right with a probability of " + percent(rules.confidence) + "; differences of " +
         percent(rules.equivalent_within) + " do not count.";
}

}  // namespace faultline::advice
