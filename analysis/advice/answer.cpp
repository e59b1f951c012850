// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/answer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/advice/ranking.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/text/summary_text.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::advice {

namespace {

/// The best of each stack that stands like that.
std::vector<std::string> named(const Field& field, const Findings& findings, Standing standing) {
  std::vector<std::string> list;
  for (const std::size_t i : best_of_stacks(field, findings))
    if (findings.contestants[i].standing == standing) list.push_back(field.alternatives[i].name);
  return list;
}

/// "a, b and c".
std::string all_of(const std::vector<std::string>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i)
    text += (i == 0 ? "" : i + 1 == list.size() ? " and " : ", ") + list[i];
  return text;
}

/// The unit in which all means of the objective are printed.
text::TimeUnit unit_of(const Findings& findings) {
  double largest = 0;
  for (const Contestant& one : findings.contestants)
    largest = std::max(largest, std::fabs(one.objective.mean.value_or(0)));
  return text::unit_of(statistics::metric_type(findings.rules.objective), largest);
}

/// "time_to_solution_s", without the unit, which may be another one where it is printed.
std::string words_of(const std::string& metric) {
  std::string words = statistics::without_unit(metric);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string with_unit(const Findings& findings, const statistics::Summary& summary) {
  const text::TimeUnit unit = unit_of(findings);
  const std::string text = text::with_interval(summary, unit.in_one_s);
  return *unit.word == '\0' ? text : text + " " + unit.word;
}

/// "98.8": a share of a hundred, with three digits.
std::string of_hundred(double share) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3g", 100 * share);
  return digits;
}

std::string percent(double share) { return of_hundred(share) + " %"; }

/// "98.8 % [97.1, 100]" for a share, and any other mean as everywhere.
std::string mean_words(const statistics::Summary& mean) {
  if (!mean.is_share || !mean.mean) return text::with_interval(mean);
  std::string text = of_hundred(*mean.mean) + " %";
  if (mean.confidence_95)
    text += " [" + of_hundred(mean.confidence_95->low) + ", " +
            of_hundred(mean.confidence_95->high) + "]";
  return text;
}

/// "completed 98.8 % [97.1, 100]".
std::string requirement_words(const Requirement& requirement, const statistics::Summary& mean) {
  return words_of(requirement.metric) + " " + mean_words(mean);
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
      return "so many are the most that Faultline makes";
    case RaceEnd::time_limit:
      return "the time is up";
    default:
      return "it was interrupted";
  }
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
  if (findings.rules.require.empty()) return "The runs of all alternatives fail.";
  return "None of the alternatives keeps to " + requirements_text(findings.rules) + "." +
         nearest_text(field, findings);
}

// ---- the table --------------------------------------------------------------------------------

/// "behind by 29 +- 20", "equivalent", "unfit".
std::string standing_cell(const Findings& findings, const Contestant& one) {
  std::string word = standing_word(one.standing);
  const bool is_told = one.standing == Standing::behind || one.standing == Standing::races;
  if (!is_told || !one.difference || one.against != findings.leader) return word;
  const double largest = std::fabs(one.objective.mean.value_or(0));
  return word + (one.standing == Standing::behind ? " by " : ", difference ") +
         text::with_interval(*one.difference, unit_of(findings).in_one_s, largest);
}

text::TextTable ranking_table(const Field& field, const Findings& findings) {
  text::TextTable table{.columns = {{"alternative", text::Align::left}}, .rows = {}};
  for (const Requirement& requirement : findings.rules.require)
    table.columns.push_back({text::column_title(requirement.metric, {"", 1.0})});
  table.columns.push_back({text::column_title(findings.rules.objective, unit_of(findings))});
  table.columns.push_back({"runs"});
  table.columns.push_back({"standing", text::Align::left});
  for (const std::size_t i : best_of_stacks(field, findings)) {
    const Contestant& one = findings.contestants[i];
    std::vector<std::string> row{field.alternatives[i].name +
                                 (field.alternatives[i].is_todays ? " (today)" : "")};
    for (std::size_t k = 0; k < findings.rules.require.size(); ++k)
      row.push_back(k < one.required.size() ? mean_words(one.required[k]) : "-");
    row.push_back(text::with_interval(one.objective, unit_of(findings).in_one_s));
    row.push_back(std::to_string(one.runs));
    row.push_back(standing_cell(findings, one));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Each reason once, with all whom it holds for.
std::string refused_text(const Field& field) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const RefusedAlternative& one : field.refused) {
    auto known = std::ranges::find(reasons, one.why, &decltype(reasons)::value_type::first);
    if (known == reasons.end()) known = reasons.insert(known, {one.why, {}});
    known->second.push_back(one.name);
  }
  std::string text;
  for (const auto& [why, refused] : reasons)
    text += text::wrapped("Refused: " + all_of(refused) + ": " + why);
  return text;
}

std::string rules_text(const RaceRules& rules) {
  std::string text = (rules.higher_is_better ? "Largest " : "Least ") + words_of(rules.objective);
  if (!rules.require.empty()) text += ", with " + requirements_text(rules);
  return text + "; right with a probability of " + percent(rules.confidence) + "; differences of " +
         percent(rules.equivalent_within) + " do not count.";
}

/// What is as good as the leader with other values of what is tuned.
std::string as_good_values(const Field& field, const Findings& findings) {
  const Alternative& best = field.alternatives[*findings.leader];
  std::vector<std::string> list;
  for (const std::size_t i : ranking(findings)) {
    const Alternative& other = field.alternatives[i];
    if (other.stack != best.stack || findings.contestants[i].standing != Standing::equivalent)
      continue;
    list.push_back(other.name == other.stack ? "what the scenario says"
                                             : other.name.substr(other.stack.size() + 2));
  }
  if (list.empty()) return "";
  return " With " + all_of(list) + " it does as well.";
}

/// "Of stacks that were tuned, ...", and what could not be.
std::string tuned_text(const Field& field, const Findings& findings) {
  std::string text;
  const std::size_t others = field.alternatives.size() - best_of_stacks(field, findings).size();
  if (others > 0)
    text = "The table has the best values of each stack. " + std::to_string(others) +
           " others raced; --format json has them all.";
  for (const std::string& sentence : field.untuned) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

// ---- where the choice changes -----------------------------------------------------------------

std::string crossovers_text(const Crossovers& crossed, std::size_t max_width) {
  text::TextTable table{.columns = {{crossed.path}, {"use", text::Align::left}}, .rows = {}};
  for (const Stretch& stretch : crossed.stretches) {
    std::string range = text::compact(stretch.from);
    if (stretch.to != stretch.from) range += " to " + text::compact(stretch.to);
    table.rows.push_back(
        {range, stretch.use.empty() ? "nothing keeps to what is required" : stretch.use});
  }
  std::string text = crossed.stretches.empty() ? "" : text::render(table, max_width);
  if (crossed.races > 1 && !crossed.matters)
    text += text::wrapped("No run depends on " + crossed.path + ".", max_width);
  if (crossed.end != RaceEnd::decided)
    text += text::wrapped(
        "No further values of " + crossed.path + " were looked at: " + why_ended(crossed.end) + ".",
        max_width);
  return text;
}

}  // namespace

std::string answer_sentences(const Field& field, const Findings& findings) {
  if (!findings.leader) return nobody_is_fit(field, findings);
  const std::string& best = field.alternatives[*findings.leader].name;
  const std::string costs = costs_of(findings, *findings.leader);
  const std::vector<std::string> equal = named(field, findings, Standing::equivalent);
  const std::vector<std::string> open = named(field, findings, Standing::races);
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

std::string answer_text(const Question& question, const Field& field, const Findings& findings,
                        const std::vector<Crossovers>& crossed, std::size_t max_width) {
  std::string text = question.name.empty() ? "" : text::wrapped(question.name + ".");
  text += text::wrapped(answer_sentences(field, findings), max_width) + "\n";
  for (const Crossovers& one : crossed) text += crossovers_text(one, max_width) + "\n";
  text += text::render(ranking_table(field, findings), max_width) + "\n";
  const std::string tuned = tuned_text(field, findings);
  if (!tuned.empty()) text += text::wrapped(tuned, max_width) + "\n";
  const std::string refused = refused_text(field);
  if (!refused.empty()) text += refused + "\n";
  text += text::wrapped(rules_text(findings.rules), max_width);
  double events = findings.events;
  for (const Crossovers& one : crossed) events += one.events;
  text += text::wrapped("It took " + text::compact(events) + " events, and " +
                            std::to_string(findings.looks) +
                            (findings.looks == 1 ? " look" : " looks") + " at the runs.",
                        max_width);
  return text;
}

std::string dry_run_text(const Question& question, const Field& field) {
  std::string text = visible(question.file) + ": " + std::to_string(field.alternatives.size()) +
                     (field.alternatives.size() == 1 ? " alternative" : " alternatives");
  if (!field.refused.empty()) text += ", " + std::to_string(field.refused.size()) + " refused";
  text += "\n";
  for (const Alternative& one : field.alternatives)
    text += "  " + visible(one.name) + (one.is_todays ? " (today)" : "") + "\n";
  text += refused_text(field);
  for (const std::string& sentence : field.untuned) text += text::wrapped(sentence);
  for (const PathRange& along : question.over)
    text += text::wrapped("Over " + along.path + ": " + json::to_json(first_values(along.range)) +
                          ", and values between them where the choice changes.");
  return text + text::wrapped(rules_text(rules_of(question, field)));
}

}  // namespace faultline::advice
