// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/sentences.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/advice/ranking.hpp"
#include "analysis/advice/words.hpp"

namespace faultline::advice {

namespace {

/// The best of each stack that stands like that.
std::vector<const Alternative*> those_that(const Field& field, const Findings& findings,
                                           Standing standing) {
  std::vector<const Alternative*> list;
  for (const std::size_t i : best_of_stacks(field, findings))
    if (findings.contestants[i].standing == standing) list.push_back(&field.alternatives[i]);
  return list;
}

/// What the alternative costs, and how it keeps to what is required.
std::string costs_of(const Findings& findings, std::size_t alternative) {
  const Contestant& one = findings.contestants[alternative];
  std::string text = words_of(findings.rules.objective) + " " + with_unit(findings, one.objective);
  for (std::size_t i = 0; i < one.required.size(); ++i)
    if (findings.rules.require[i].metric != findings.rules.objective)
      text += ", " + requirement_words(findings.rules.require[i], one.required[i]);
  return text;
}

/// Whether the leader is shown to keep to what is required, if it is not.
std::string doubt(const Findings& findings) {
  if (findings.contestants[*findings.leader].meets_all) return "";
  return " It is not shown that it keeps to " + requirements_text(findings.rules) + ".";
}

std::string today(const Field& field, const Findings& findings) {
  for (std::size_t i = 0; i < field.alternatives.size(); ++i) {
    if (!field.alternatives[i].is_todays) continue;
    const std::string name = field.alternatives[i].name;
    const Contestant& one = findings.contestants[i];
    const Contestant& best = findings.contestants[*findings.leader];
    if (i == *findings.leader) return " That is what is used today.";
    if (one.standing == Standing::unfit) return " Today's " + name + " " + one.why_unfit + ".";
    if (one.standing == Standing::equivalent)
      return " Today's " + name + " is as good: changing gains nothing that counts.";
    if (!one.objective.mean || *best.objective.mean == 0.0) return "";
    const double share = std::fabs(*one.objective.mean / *best.objective.mean - 1.0);
    return one.standing == Standing::behind
               ? " Today's " + name + " is behind by " + percent(share) + "."
               : " Whether it is better than today's " + name + " is not shown.";
  }
  return "";
}

/// The one that breaks a requirement by least: whose mean of the first broken one is nearest.
std::string nearest_text(const Field& field, const Findings& findings) {
  const auto distance = [&](const Contestant& one) {
    double sum = 0;
    for (std::size_t i = 0; i < one.required.size(); ++i) {
      const Requirement& requirement = findings.rules.require[i];
      if (!one.required[i].mean) return HUGE_VAL;
      const double mean = *one.required[i].mean;
      const auto beyond = [](double by, double bound) {
        return std::max(0.0, by) / std::max(std::fabs(bound), 1e-300);
      };
      if (requirement.at_least) sum += beyond(*requirement.at_least - mean, *requirement.at_least);
      if (requirement.at_most) sum += beyond(mean - *requirement.at_most, *requirement.at_most);
    }
    return one.required.empty() ? HUGE_VAL : sum;
  };
  std::size_t nearest = 0;
  for (std::size_t i = 1; i < findings.contestants.size(); ++i)
    if (distance(findings.contestants[i]) < distance(findings.contestants[nearest])) nearest = i;
  if (distance(findings.contestants[nearest]) == HUGE_VAL) return "";
  std::string text = " " + field.alternatives[nearest].name + " comes nearest:";
  const Contestant& one = findings.contestants[nearest];
  for (std::size_t i = 0; i < one.required.size(); ++i)
    text += (i == 0 ? " " : ", ") + requirement_words(findings.rules.require[i], one.required[i]);
  return text + ".";
}

std::string nobody_is_fit(const Field& field, const Findings& findings) {
  const auto is_unfit = [](const Contestant& one) { return one.standing == Standing::unfit; };
  if (!std::ranges::all_of(findings.contestants, is_unfit))
    return "Nothing can be ranked: none of the runs that completed has " +
           findings.rules.objective + ".";
  return "None of the alternatives keeps to " + requirements_text(findings.rules) + "." +
         nearest_text(field, findings);
}

/// What is as good as the leader with other values of what is tuned.
std::string as_good_values(const Field& field, const Findings& findings) {
  const Alternative& best = field.alternatives[*findings.leader];
  std::vector<std::string> list;
  for (const std::size_t i : ranking(findings)) {
    const Alternative& other = field.alternatives[i];
    if (other.stack != best.stack || findings.contestants[i].standing != Standing::equivalent)
      continue;
    const std::string value = tuned_value(other);
    list.push_back(value.empty() ? "what the scenario says" : value);
  }
  if (list.empty()) return "";
  return " With " + all_of(list) + " it does as well.";
}

}  // namespace

std::string answer_sentences(const Field& field, const Findings& findings) {
  if (!findings.leader) return nobody_is_fit(field, findings);
  const std::string best = all_of({&field.alternatives[*findings.leader]});
  const std::string costs = costs_of(findings, *findings.leader);
  const auto equal = those_that(field, findings, Standing::equivalent);
  const auto open = those_that(field, findings, Standing::races);
  std::string text;
  if (open.empty()) {
    text = "Use " + best + ": " + costs + "." + doubt(findings) + as_good_values(field, findings);
  } else {
    text = "Nothing separates " + best + " from " + all_of(open) + " after " +
           std::to_string(findings.contestants[*findings.leader].runs) + " runs each (" +
           why_ended(findings.end) + "). " + best + " has the best mean so far: " + costs + "." +
           doubt(findings);
  }
  if (!equal.empty())
    text += " " + all_of(equal) + (equal.size() == 1 ? " is" : " are") + " within " +
            percent(findings.rules.equivalent_within) + ".";
  return text + today(field, findings);
}

}  // namespace faultline::advice
