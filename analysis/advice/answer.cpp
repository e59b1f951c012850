// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/answer.hpp"

#include "analysis/advice/answer_parts.hpp"
#include "analysis/advice/reasons.hpp"
#include "analysis/advice/sentences.hpp"
#include "analysis/advice/words.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::advice {

namespace {

/// The alternatives, a line for each stack: "  ulfm + swim (as it is, period_s 0.1, 0.5)".
std::string alternatives_text(const Field& field) {
  std::string text;
  for (std::size_t i = 0; i < field.alternatives.size();) {
    const Alternative& first = field.alternatives[i];
    std::vector<std::string> values;
    bool is_todays = false;
    for (; i < field.alternatives.size() && field.alternatives[i].stack == first.stack; ++i) {
      values.push_back(tuned_value(field.alternatives[i]));
      is_todays = is_todays || field.alternatives[i].is_todays;
    }
    text += "  " + visible(first.stack) + (is_todays ? " (today)" : "") +
            (values.size() > 1 ? " (" + visible(values_text(values)) + ")" : "") + "\n";
  }
  return text;
}

}  // namespace

std::string answer_text(const Question& question, const Field& field, const Advice& advice,
                        std::size_t max_width) {
  std::string text = question.name.empty() ? "" : text::wrapped(question.name + ".");
  text += text::wrapped(answer_sentences(field, advice.findings), max_width);
  for (const Part& part : answer_parts(field, advice)) {
    text += "\n";
    if (!part.above.empty()) text += text::wrapped(part.above, max_width);
    if (!part.table.rows.empty()) text += text::render(part.table, max_width);
    for (const std::string& paragraph : part.below) text += text::wrapped(paragraph, max_width);
  }
  return text;
}

std::string dry_run_text(const Question& question, const Field& field) {
  std::string text = visible(question.file) + ": " + std::to_string(field.alternatives.size()) +
                     (field.alternatives.size() == 1 ? " alternative" : " alternatives");
  if (!field.refused.empty()) text += ", " + std::to_string(field.refused.size()) + " refused";
  if (!field.pruned.empty()) text += ", " + std::to_string(field.pruned.size()) + " pruned";
  text += "\n";
  text += alternatives_text(field);
  for (const std::string& sentence : refusals(field)) text += text::wrapped(sentence);
  for (const std::string& sentence : pruned_sentences(field)) text += text::wrapped(sentence);
  for (const std::string& sentence : untuned_sentences(field)) text += text::wrapped(sentence);
  for (const Tuned& tuned : question.tune)
    if (tuned.is_daly)
      text += text::wrapped(
          "Runs will tell Daly's interval, around which each alternative also tries values of " +
          tuned.path + ".");
  for (const PathRange& along : question.over)
    text += text::wrapped("Over " + along.path + ": " + json::to_json(first_values(along.range)) +
                          ", and values between them where the choice changes.");
  return text + text::wrapped(rules_text(rules_of(question, field)));
}

}  // namespace faultline::advice
