// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/answer_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "analysis/advice/ranking.hpp"
#include "analysis/advice/reasons.hpp"
#include "analysis/advice/words.hpp"

namespace faultline::advice {

namespace {

Part crossovers_part(const Crossovers& crossed) {
  Part part{.title = "Where the choice changes along " + crossed.path,
            .table = {.columns = {{crossed.path}, {"use", text::Align::left}}, .rows = {}}};
  for (const Stretch& stretch : crossed.stretches) {
    std::string range = text::compact(stretch.from);
    if (stretch.to != stretch.from) range += " to " + text::compact(stretch.to);
    part.table.rows.push_back(
        {range, stretch.use.empty() ? "nothing keeps to what is required" : stretch.use});
  }
  if (crossed.raced.size() > 1 && !crossed.matters)
    part.below.push_back("No run depends on " + crossed.path + ".");
  if (crossed.end != RaceEnd::decided)
    part.below.push_back("No further values of " + crossed.path +
                         " were looked at: " + why_ended(crossed.end) + ".");
  return part;
}

/// "behind by 29 +- 20", "equivalent", "unfit".
std::string standing_cell(const Findings& findings, const Contestant& one) {
  std::string word = standing_word(one.standing);
  const bool is_told = one.standing == Standing::behind || one.standing == Standing::races;
  if (!is_told || !one.difference || one.against != findings.leader) return word;
  const double largest = std::fabs(one.objective.mean.value_or(0));
  return word + (one.standing == Standing::behind ? " by " : ", difference ") +
         text::with_interval(*one.difference, unit_of(findings).in_one_s, largest);
}

/// "checkpoint_iterations 2" in two.
std::pair<std::string, std::string> option_and_value(const Alternative& alternative) {
  const std::string tuned = tuned_value(alternative);
  const std::size_t space = tuned.find(' ');
  if (space == std::string::npos) return {};
  return {tuned.substr(0, space), tuned.substr(space + 1)};
}

/// What the ranking tells of tuned values: the options that the best of some stack has at another
/// value than the scenario, each once.
std::vector<std::string> tuned_options(const Field& field, const std::vector<std::size_t>& shown) {
  std::vector<std::string> options;
  for (const std::size_t i : shown) {
    const std::string option = option_and_value(field.alternatives[i]).first;
    if (!option.empty() && !names(options, option)) options.push_back(option);
  }
  return options;
}

/// The best of each stack, and what is used today, the best first.
std::vector<std::size_t> rows_of_ranking(const Field& field, const Findings& findings) {
  const std::vector<std::size_t> best = best_of_stacks(field, findings);
  std::vector<std::size_t> rows = ranking(findings);
  std::erase_if(rows, [&](std::size_t i) {
    return !field.alternatives[i].is_todays && std::ranges::count(best, i) == 0;
  });
  return rows;
}

text::TextTable ranking_table(const Field& field, const Findings& findings) {
  text::TextTable table{.columns = {{"alternative", text::Align::left}}, .rows = {}};
  const std::vector<std::size_t> shown = rows_of_ranking(field, findings);
  const std::vector<std::string> tuned = tuned_options(field, shown);
  for (const std::string& option : tuned)
    table.columns.push_back({text::column_title(option, {"", 1.0})});
  for (const Requirement& requirement : findings.rules.require)
    table.columns.push_back({text::column_title(requirement.metric, {"", 1.0})});
  table.columns.push_back({text::column_title(findings.rules.objective, unit_of(findings))});
  table.columns.push_back({"runs"});
  table.columns.push_back({"standing", text::Align::left});
  for (const std::size_t i : shown) {
    const Contestant& one = findings.contestants[i];
    const Alternative& alternative = field.alternatives[i];
    std::vector<std::string> row{alternative.stack + (alternative.is_todays ? " (today)" : "")};
    const auto [option, value] = option_and_value(alternative);
    for (const std::string& column : tuned) row.push_back(column == option ? value : "-");
    for (std::size_t k = 0; k < findings.rules.require.size(); ++k)
      row.push_back(k < one.required.size() ? mean_words(one.required[k]) : "-");
    row.push_back(text::with_interval(one.objective, unit_of(findings).in_one_s));
    row.push_back(std::to_string(one.runs));
    row.push_back(standing_cell(findings, one));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// That the table leaves some out, and what could not be tuned.
std::vector<std::string> tuned_sentences(const Field& field, const Findings& findings) {
  std::string text;
  const std::size_t others = field.alternatives.size() - rows_of_ranking(field, findings).size();
  if (others > 0)
    text = "The table has the best values of each stack. " + std::to_string(others) +
           " others raced; --format json has them all.";
  for (const std::string& sentence : untuned_sentences(field))
    text += (text.empty() ? "" : " ") + sentence;
  if (text.empty()) return {};
  return {text};
}

// ---- what the answer rests on -----------------------------------------------------------------

/// The value with as many decimals as the largest one needs for four digits: "-0.1" beside "140.9".
std::string to_digit_of(double largest, double value) {
  if (largest == 0) return "0";
  constexpr double kMostInDigits = 1e15;
  if (largest >= kMostInDigits) return text::compact(value);
  constexpr int kMostDecimals = 12;
  const int decimals =
      std::clamp(3 - static_cast<int>(std::floor(std::log10(largest))), 0, kMostDecimals);
  const bool is_nothing = std::fabs(value) < std::pow(10, -decimals) / 2;
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.*f", decimals, is_nothing ? 0.0 : value);
  return digits;
}

Part gaps_part(const Field& field, const Advice& advice) {
  const std::vector<Gap>& all = advice.gaps.all;
  Part part{.title = "Where the differences come from"};
  if (all.empty()) return part;
  double largest = 0;
  for (const Gap& gap : all)
    for (const double share : {gap.together, gap.without_faults, gap.recovery, gap.detection})
      largest = std::max(largest, std::fabs(share));
  const text::TimeUnit unit =
      *unit_of(advice.findings).word == '\0' ? unit_of(advice.findings) : text::time_unit(largest);
  const auto number = [&](double share) {
    return to_digit_of(largest * unit.in_one_s, share * unit.in_one_s);
  };
  part.above = "Where the differences from " + field.alternatives[*advice.findings.leader].name +
               " in " + words_of(advice.findings.rules.objective) + " come from" +
               (*unit.word == '\0' ? "" : std::string(", in ") + unit.word) + ":";
  part.table.columns = {{"alternative", text::Align::left},
                        {"without\nfaults"},
                        {"recovery"},
                        {"detection"},
                        {"together"},
                        {"runs"}};
  for (const Gap& gap : all)
    part.table.rows.push_back({field.alternatives[gap.alternative].name, number(gap.without_faults),
                               number(gap.recovery), number(gap.detection), number(gap.together),
                               std::to_string(gap.runs)});
  return part;
}

/// "613.2 s".
std::string mean_text(const Findings& findings, double mean) {
  const text::TimeUnit unit = unit_of(findings);
  const std::string number = text::compact(mean * unit.in_one_s);
  return *unit.word == '\0' ? number : number + " " + unit.word;
}

/// "platform.restart_delay_s (3.1 %)".
std::string weight_text(const Input& input) {
  return input.path + " (" + percent(input.weight) + ")";
}

/// "With platform.restart_delay_s half as large, use ulfm."
std::string change_text(const Input& input, const char* how_large, const std::string& use) {
  return " With " + input.path + " " + how_large + " as large, use " + use + ".";
}

std::string sensitivity_text(const Advice& advice) {
  const std::vector<Input>& inputs = advice.sensitivity.inputs;
  if (inputs.empty()) return "";
  std::vector<std::string> weights;
  weights.reserve(inputs.size());
  for (const Input& input : inputs) weights.push_back(weight_text(input));
  std::string text = "Twice as large, these change the " +
                     words_of(advice.findings.rules.objective) + " most: " + all_of(weights) + ".";
  std::string changes;
  for (const Input& input : inputs) {
    if (input.changes_at_half()) changes += change_text(input, "half", input.use_at_half);
    if (input.changes_at_double()) changes += change_text(input, "twice", input.use_at_double);
  }
  if (changes.empty())
    changes = inputs.size() == 1 ? " Half or twice as large, it does not change the choice."
                                 : " Half or twice as large, none of them changes the choice.";
  return text + changes;
}

std::string engine_check_text(const Field& field, const Advice& advice) {
  if (!advice.engine_check) return "";
  const EngineCheck& check = *advice.engine_check;
  if (!check.why_not.empty()) return "Not checked on simgrid: " + check.why_not + ".";
  const std::string& leader = field.alternatives[check.leader].name;
  const std::string& runner_up = field.alternatives[check.runner_up].name;
  return (check.agrees ? "simgrid agrees: " : "simgrid does not agree: ") + leader + " " +
         mean_text(advice.findings, check.leader_mean) + ", " + runner_up + " " +
         mean_text(advice.findings, check.runner_up_mean) + ", over " + std::to_string(check.runs) +
         (check.runs == 1 ? " run." : " runs.");
}

/// What weighs most, and what the other engine says.
Part evidence_part(const Field& field, const Advice& advice) {
  Part part{.title = "How far it holds"};
  for (std::string sentences : {sensitivity_text(advice), engine_check_text(field, advice)})
    if (!sentences.empty()) part.below.push_back(std::move(sentences));
  return part;
}

Part finding_part(const Advice& advice) {
  const Findings& findings = advice.findings;
  return {.title = "How it was found",
          .below = {rules_text(findings.rules),
                    "It took " + text::compact(std::round(advice.events() / 1e5) / 10) +
                        " million events, and " + std::to_string(findings.looks) +
                        (findings.looks == 1 ? " look" : " looks") + " at the runs."}};
}

}  // namespace

std::vector<Part> answer_parts(const Field& field, const Advice& advice) {
  std::vector<Part> parts;
  for (const Crossovers& along : advice.crossovers) parts.push_back(crossovers_part(along));
  parts.push_back({.title = "Ranking", .table = ranking_table(field, advice.findings)});
  parts.push_back({.title = "Options", .below = tuned_sentences(field, advice.findings)});
  parts.push_back(gaps_part(field, advice));
  parts.push_back(evidence_part(field, advice));
  parts.push_back({.title = "Refused", .below = refusals(field)});
  parts.push_back({.title = "Pruned", .below = pruned_sentences(field)});
  parts.push_back(finding_part(advice));
  std::erase_if(parts, [](const Part& part) { return part.is_empty(); });
  return parts;
}

}  // namespace faultline::advice
