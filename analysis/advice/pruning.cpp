// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/pruning.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/race.hpp"
#include "analysis/advice/words.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "analysis/text/summary_text.hpp"
#include "analysis/theory/closed_forms.hpp"

namespace faultline::advice {

namespace {

using theory::ClosedForm;
using theory::Relation;

bool breaks(const ClosedForm& form, const Requirement& requirement) {
  if (form.metric != requirement.metric) return false;
  const bool bounds_above = form.relation == Relation::at_most || form.relation == Relation::equal;
  const bool bounds_below = form.relation == Relation::at_least || form.relation == Relation::equal;
  return (bounds_above && requirement.at_least && form.value < *requirement.at_least) ||
         (bounds_below && requirement.at_most && form.value > *requirement.at_most);
}

/// "completed at most 36.8 % by a closed form (1 x 600 s without a fault)".
std::string reason(const ClosedForm& form) {
  const bool is_share = form.metric == runs::kCompleted;
  const char* relation = form.relation == Relation::at_most    ? " at most "
                         : form.relation == Relation::at_least ? " at least "
                                                               : " ";
  return form.metric + relation + (is_share ? percent(form.value) : text::compact(form.value)) +
         " by a closed form (" + form.name + ")";
}

/// Why this job breaks a requirement; "" if that is not known.
std::string why_unfit(const scenario::RunSpec& job, const RaceRules& rules) {
  for (const ClosedForm& form : theory::closed_forms(job))
    for (const Requirement& requirement : rules.require)
      if (breaks(form, requirement)) return reason(form);
  return "";
}

}  // namespace

Field pruned_field(const Question& question) {
  Field field = field_of(question);
  const RaceRules rules = rules_of(question, field);
  std::vector<Alternative> racing;
  for (std::size_t i = 0; i < field.alternatives.size(); ++i) {
    const Alternative& one = field.alternatives[i];
    const scenario::RunSpec job = scenario::point_scenario(field.study, i).points.front();
    std::string why = one.is_todays ? "" : why_unfit(job, rules);
    if (why.empty())
      racing.push_back(one);
    else
      field.pruned.push_back({one.name, one.stack, std::move(why), one.sets});
  }
  if (racing.empty()) field.pruned.clear();
  if (field.pruned.empty()) return field;
  field.alternatives = std::move(racing);
  field.study = study_of(question, field.alternatives);
  return field;
}

}  // namespace faultline::advice
