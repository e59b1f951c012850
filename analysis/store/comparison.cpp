// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/runs/run_estimates.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/store/completion_ranking.hpp"
#include "analysis/text/summary_text.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"

namespace faultline::store {

namespace {

constexpr const char* kUndecided = "no difference shown";

/// The reason why a point cannot win; "" if it can. A run that broke a promise may be cheap because
/// of that, and a run that was cut off is no result.
std::string exclusion(const SelectedPoint& point) {
  if (!point.stored.failure.empty()) return "failed";
  std::size_t cut_off = 0;
  std::size_t violated = 0;
  for (const runs::RunRecord& run : point.stored.runs) {
    if (runs::exit_code(run) == runs::kExitGood) continue;
    ++(runs::is_cut_off(run) && run.violations.empty() ? cut_off : violated);
  }
  std::string why;
  if (violated > 0) why = std::to_string(violated) + (violated == 1 ? " bad run" : " bad runs");
  if (cut_off > 0) why += (why.empty() ? "" : ", ") + std::to_string(cut_off) + " cut off";
  return why;
}

PairedDifference paired(const Situation& situation, std::size_t first, std::size_t second,
                        std::size_t pairs, const ComparisonSettings& settings) {
  // Bonferroni: with 95 % certainty all intervals of a situation hold at once. Otherwise the best
  // of many contenders could be the winner by chance.
  const double outside = 0.05 / static_cast<double>(pairs);
  PairedDifference pair{
      .first = first,
      .second = second,
      .difference = runs::paired_difference(situation.contenders[first].point->stored.runs,
                                            situation.contenders[second].point->stored.runs,
                                            settings.metric, outside)};
  const auto interval = pair.difference.confidence_95;
  if (!interval) return pair;
  const bool lower = interval->high < 0;
  const bool higher = interval->low > 0;
  pair.first_better = settings.higher_is_better ? higher : lower;
  pair.second_better = settings.higher_is_better ? lower : higher;
  return pair;
}

void add_pairs(Situation& situation, const ComparisonSettings& settings) {
  std::vector<std::size_t> able;
  for (std::size_t i = 0; i < situation.contenders.size(); ++i)
    if (situation.contenders[i].excluded.empty()) able.push_back(i);
  const std::size_t pairs = able.size() * (able.size() - 1) / 2;
  for (std::size_t i = 0; i < able.size(); ++i)
    for (std::size_t j = i + 1; j < able.size(); ++j)
      situation.pairs.push_back(paired(situation, able[i], able[j], pairs, settings));
}

/// What competes at a point, as the store has it.
std::string competing_value(const SelectedPoint& point, const std::vector<std::string>& by) {
  if (by.size() == 1) return cell_text(cell_at(point, by.front()));
  json::JsonValue values = json::JsonValue::Object{};
  for (const std::string& path : by) {
    const json::JsonValue* value = point.at(json::split_path(path));
    values.set(path, value == nullptr ? json::JsonValue() : *value);
  }
  return json::to_json(values);
}

/// What competes at a point, in words: "rel-eager + rdaemon, timeout_s 0.02". Beside other values,
/// a number needs the last part of its path.
std::string competing_words(const SelectedPoint& point, const std::vector<std::string>& by) {
  if (by.size() == 1) return words_at(point, by.front());
  std::string words;
  for (const std::string& path : by) {
    const json::JsonValue* value = point.at(json::split_path(path));
    const bool alone =
        value != nullptr && (value->text() != nullptr || value->find("name") != nullptr);
    words += (words.empty() ? "" : " + ") + (alone ? "" : path.substr(path.rfind('.') + 1) + " ") +
             words_at(point, path);
  }
  return words;
}

[[noreturn]] void refuse(const std::vector<std::string>& by, const std::string& why) {
  throw UsageError("compare: --by " + with_commas(by) + ": " + why);
}

/// Throws UsageError if two points of a situation cannot be compared.
void check_pair(const Contender& first, const Contender& second,
                const std::vector<std::string>& by) {
  const std::string points = "points " + std::to_string(first.point->stored.point) + " and " +
                             std::to_string(second.point->stored.point);
  if (first.value == second.value)
    refuse(by, points +
                   " have the same value and differ elsewhere; name a path that tells them "
                   "apart, or leave one out with --where");
  if (first.point->stored.seed != second.point->stored.seed)
    refuse(by, points + " have different seeds, so they use different random numbers");
}

/// `named` are the paths of `by` that have several values.
Situation situation_of(const PointGroup& group, const ComparisonSettings& settings,
                       const std::vector<std::string>& named) {
  Situation situation{.key = group.key, .contenders = {}, .pairs = {}};
  for (const SelectedPoint* point : group.points) {
    const Contender contender{competing_value(*point, settings.by), competing_words(*point, named),
                              point, summarize(PointGroup{{}, {point}}, settings.metric),
                              exclusion(*point)};
    for (const Contender& other : situation.contenders) check_pair(other, contender, settings.by);
    situation.contenders.push_back(contender);
  }
  add_pairs(situation, settings);
  rank_by_completion(situation);
  return situation;
}

/// The swept paths that tell situations apart: those that neither contain nor lie in one of `by`.
std::vector<std::string> paths_beside(const std::vector<SelectedPoint>& points,
                                      const std::vector<std::string>& by) {
  std::vector<std::string> beside;
  for (const std::string& path : swept_paths(points)) {
    const json::JsonPath swept = json::split_path(path);
    const bool competes = std::any_of(by.begin(), by.end(), [&](const std::string& named) {
      const json::JsonPath steps = json::split_path(named);
      return json::is_within(swept, steps) || json::is_within(steps, swept);
    });
    if (!competes) beside.push_back(path);
  }
  return beside;
}

bool any_differ_only_in(const std::vector<SelectedPoint>& points,
                        const std::vector<std::string>& by) {
  const std::vector<PointGroup> groups = group_points(points, paths_beside(points, by));
  return std::any_of(groups.begin(), groups.end(),
                     [](const PointGroup& group) { return group.points.size() > 1; });
}

[[noreturn]] void refuse_to_compare(const std::vector<SelectedPoint>& points,
                                    const std::vector<std::string>& by) {
  const std::string why =
      std::string("no two points differ only in ") + (by.size() == 1 ? "this" : "these");
  const std::vector<std::string> tied = tied_paths(points, by);
  std::vector<std::string> together = by;
  together.insert(together.end(), tied.begin(), tied.end());
  if (tied.empty() || !any_differ_only_in(points, together))
    refuse(by, why + ", expected a swept path: " + json::any_of(swept_paths(points)));
  refuse(by, why + ": " + with_commas(tied) + (tied.size() == 1 ? " changes" : " change") +
                 (by.size() == 1 ? " with it" : " with them") + "; expected --by " +
                 with_commas(together));
}

void check_competing(const std::vector<std::string>& by) {
  for (const std::string& path : by) {
    const json::JsonPath steps = json::split_path(path);
    if (steps.empty())
      throw UsageError("compare: --by " + json::in_quotes(path) +
                       ": expected a path such as termination.name");
    if (std::count(by.begin(), by.end(), path) > 1)
      refuse(by, "names " + json::in_quotes(path) + " twice");
    if (steps == json::JsonPath{"seed"})
      refuse(by, "points of different seeds use different random numbers, expected another path");
  }
}

const std::string& said(const Contender& contender, ValuesAs values) {
  return values == ValuesAs::words ? contender.name : contender.value;
}

std::string verdict(const Situation& situation, const PairedDifference& pair, ValuesAs values) {
  if (pair.first_better) return said(situation.contenders[pair.first], values);
  return pair.second_better ? said(situation.contenders[pair.second], values) : kUndecided;
}

json::JsonValue mean_json(const statistics::Summary& summary) {
  return summary.mean ? json::JsonValue(*summary.mean) : json::JsonValue();
}

/// What has told the two apart.
json::JsonValue decided_by(const PairedDifference& pair) {
  if (!pair.first_better && !pair.second_better) return {};
  return pair.by_completed ? "completed" : "metric";
}

}  // namespace

std::vector<const Contender*> first_of_each_value(const Comparison& comparison) {
  std::vector<const Contender*> first;
  std::set<std::string> known;
  for (const Situation& situation : comparison.situations)
    for (const Contender& contender : situation.contenders)
      if (known.insert(contender.value).second) first.push_back(&contender);
  return first;
}

const Contender* with_value_of(const Situation& situation, const Contender& other) {
  for (const Contender& contender : situation.contenders)
    if (contender.value == other.value) return &contender;
  return nullptr;
}

text::TimeUnit unit_of_means(const Comparison& comparison, const std::string& metric) {
  double largest = 0;
  for (const Situation& situation : comparison.situations)
    for (const Contender& contender : situation.contenders)
      largest = std::max(largest, std::fabs(contender.summary.mean.value_or(0)));
  return text::unit_of(statistics::metric_type(metric), largest);
}

std::string cut_off_runs(const Comparison& comparison) {
  runs::RunCount count;
  for (const Situation& situation : comparison.situations)
    for (const Contender& contender : situation.contenders)
      for (const runs::RunRecord& run : contender.point->stored.runs) count.add(run.outcome);
  const std::string text = runs::cut_off_count(count);
  return text.empty() ? text : text + ", which is no result: a point with such a run cannot win.";
}

const Contender* Situation::winner() const {
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    std::size_t others = 0;
    std::size_t beaten = 0;
    for (const PairedDifference& pair : pairs) {
      if (pair.first != i && pair.second != i) continue;
      ++others;
      beaten += (pair.first == i ? pair.first_better : pair.second_better) ? 1 : 0;
    }
    if (others > 0 && beaten == others && completes_half(contenders[i])) return &contenders[i];
  }
  return nullptr;
}

std::string with_commas(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += (text.empty() ? "" : ",") + path;
  return text;
}

std::vector<std::string> tied_paths(const std::vector<SelectedPoint>& points,
                                    const std::vector<std::string>& by) {
  const std::size_t combinations = group_points(points, by).size();
  std::vector<std::string> tied;
  for (const std::string& path : paths_beside(points, by)) {
    if (path == "seed" || has_one_value(points, path)) continue;
    std::vector<std::string> both = by;
    both.push_back(path);
    if (group_points(points, both).size() == combinations) tied.push_back(path);
  }
  return tied;
}

Comparison compare(const std::vector<SelectedPoint>& points, const ComparisonSettings& settings) {
  check_competing(settings.by);
  if (!any_differ_only_in(points, settings.by)) refuse_to_compare(points, settings.by);
  Comparison comparison;
  comparison.paths = paths_beside(points, settings.by);
  comparison.common = common_values(points);
  for (std::size_t i = 0; i < comparison.paths.size(); ++i)
    if (!has_one_value(points, comparison.paths[i])) comparison.varying.push_back(i);
  std::vector<std::string> named = settings.by;
  if (named.size() > 1)
    std::erase_if(named, [&](const std::string& path) { return has_one_value(points, path); });
  const std::vector<PointGroup> groups = group_points(points, comparison.paths);
  comparison.situations.reserve(groups.size());
  for (const PointGroup& group : groups)
    comparison.situations.push_back(situation_of(group, settings, named));
  return comparison;
}

std::vector<Row> comparison_rows(const Comparison& comparison, ValuesAs values) {
  std::vector<Row> rows;
  for (const Situation& situation : comparison.situations)
    for (const PairedDifference& pair : situation.pairs) {
      const Contender& first = situation.contenders[pair.first];
      const Contender& second = situation.contenders[pair.second];
      const Contender* winner = situation.winner();
      Row row;
      for (std::size_t i = 0; i < comparison.paths.size(); ++i)
        row.push_back({comparison.paths[i],
                       values == ValuesAs::stored
                           ? situation.key[i]
                           : json::JsonValue(words_at(*first.point, comparison.paths[i]))});
      const auto& mean = pair.difference.mean;
      const auto& interval = pair.difference.confidence_95;
      row.insert(row.end(),
                 {{"first", said(first, values)},
                  {"second", said(second, values)},
                  {"first_mean", mean_json(first.summary)},
                  {"second_mean", mean_json(second.summary)},
                  {"pairs", static_cast<std::int64_t>(pair.difference.count)},
                  {"difference", mean ? json::JsonValue(*mean) : json::JsonValue()},
                  {"low", interval ? json::JsonValue(interval->low) : json::JsonValue()},
                  {"high", interval ? json::JsonValue(interval->high) : json::JsonValue()},
                  {"verdict", verdict(situation, pair, values)},
                  {"winner",
                   winner == nullptr ? json::JsonValue() : json::JsonValue(said(*winner, values))},
                  {"first_completed", mean_json(first.completed)},
                  {"second_completed", mean_json(second.completed)},
                  {"decided_by", decided_by(pair)}});
      rows.push_back(std::move(row));
    }
  return rows;
}

}  // namespace faultline::store
