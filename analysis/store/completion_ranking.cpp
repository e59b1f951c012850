// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/completion_ranking.hpp"

#include <algorithm>
#include <cstddef>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/text/summary_text.hpp"

namespace faultline::store {

namespace {

bool lies_below(const statistics::Summary& one, const statistics::Summary& other) {
  return one.confidence_95 && other.confidence_95 &&
         one.confidence_95->high < other.confidence_95->low;
}

/// The contender with the largest share of those that can win; of equal shares the surest. Null if
/// none has a share.
const Contender* most_complete(const Situation& situation) {
  const Contender* best = nullptr;
  for (const Contender& contender : situation.contenders) {
    const statistics::Summary& share = contender.completed;
    if (!contender.excluded.empty() || !share.mean || !share.confidence_95) continue;
    if (best == nullptr || *share.mean > *best->completed.mean ||
        (*share.mean == *best->completed.mean &&
         share.confidence_95->low > best->completed.confidence_95->low))
      best = &contender;
  }
  return best;
}

void decide(PairedDifference& pair, const Contender& first, const Contender& second) {
  const bool alike = first.completes_less == second.completes_less;
  const bool first_worse =
      alike ? lies_below(first.completed, second.completed) : first.completes_less;
  const bool second_worse =
      alike ? lies_below(second.completed, first.completed) : second.completes_less;
  if (first_worse == second_worse) return;
  pair.by_completed = true;
  pair.first_better = second_worse;
  pair.second_better = first_worse;
}

}  // namespace

void rank_by_completion(Situation& situation) {
  for (Contender& contender : situation.contenders)
    contender.completed = summarize(PointGroup{{}, {contender.point}}, runs::kCompleted);
  const Contender* best = most_complete(situation);
  if (best == nullptr) return;
  for (Contender& contender : situation.contenders)
    contender.completes_less =
        contender.excluded.empty() && lies_below(contender.completed, best->completed);
  for (PairedDifference& pair : situation.pairs)
    decide(pair, situation.contenders[pair.first], situation.contenders[pair.second]);
}

bool completes_half(const Contender& contender) {
  return contender.completed.mean.value_or(1.0) >= 0.5;
}

std::string undecided_text(const Situation& situation) {
  if (situation.pairs.empty()) return "nothing to compare";
  const bool any_does = std::any_of(
      situation.contenders.begin(), situation.contenders.end(), [](const Contender& contender) {
        return contender.excluded.empty() && completes_half(contender);
      });
  return any_does ? "no difference shown" : "none completes half";
}

std::string completed_text(const Contender& contender) {
  return text::with_interval(contender.completed) + (contender.completes_less ? ", worse" : "");
}

bool some_have_not_completed(const Comparison& comparison) {
  for (const Situation& situation : comparison.situations)
    for (const Contender& contender : situation.contenders)
      if (contender.completed.mean.value_or(1.0) < 1.0) return true;
  return false;
}

std::string survivors_words(const Comparison& comparison, const std::string& metric) {
  std::size_t with_value = 0;
  std::size_t uncompleted = 0;
  for (const Situation& situation : comparison.situations)
    for (const Contender& contender : situation.contenders)
      for (const runs::RunRecord& run : contender.point->stored.runs) {
        const bool completed = run.number(runs::kCompleted).value_or(0.0) != 0.0;
        const bool has_value = run.number(metric).has_value();
        if (has_value && !completed) return {};
        with_value += has_value ? 1 : 0;
        uncompleted += completed ? 0 : 1;
      }
  if (with_value == 0 || uncompleted == 0) return {};
  return ", over " + std::to_string(with_value) + (with_value == 1 ? " run" : " runs") +
         " that completed";
}

}  // namespace faultline::store
