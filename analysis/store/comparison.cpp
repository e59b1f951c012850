// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/statistics/share_interval.hpp"
#include "analysis/store/completion_ranking.hpp"
#include "analysis/text/summary_text.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/problems.hpp"

namespace faultline::store {

namespace {

constexpr const char* kUndecided = "no difference shown";

std::vector<double> differences(const SelectedPoint& a, const SelectedPoint& b,
                                const std::string& metric) {
  std::map<std::int64_t, double> values;
  for (const runs::RunRecord& run : b.stored.runs)
    if (const auto number = run.number(metric)) values[run.replication] = *number;
  std::vector<double> result;
  for (const runs::RunRecord& run : a.stored.runs) {
    const auto number = run.number(metric);
    const auto other = values.find(run.replication);
    if (number && other != values.end()) result.push_back(*number - other->second);
  }
  return result;
}

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

/// The interval that misses the mean of paired differences with probability `outside`.
std::optional<statistics::Interval> interval_of(const std::vector<double>& differences,
                                                const statistics::Summary& summary,
                                                double outside) {
  if (summary.is_share) {
    const auto pairs_of = [&](double difference) {
      return static_cast<std::size_t>(
          std::count(differences.begin(), differences.end(), difference));
    };
    if (summary.count == 0) return std::nullopt;
    return statistics::share_difference_interval(
        {.pairs = summary.count, .first_alone = pairs_of(1.0), .second_alone = pairs_of(-1.0)},
        outside);
  }
  if (!summary.standard_deviation) return std::nullopt;
  const double half_width = statistics::student_t(summary.count, outside) *
                            *summary.standard_deviation /
                            std::sqrt(static_cast<double>(summary.count));
  return statistics::Interval{*summary.mean - half_width, *summary.mean + half_width};
}

PairedDifference paired(const Situation& situation, std::size_t first, std::size_t second,
                        std::size_t pairs, const ComparisonSettings& settings) {
  PairedDifference pair{.first = first, .second = second, .difference = {}};
  const std::vector<double> values = differences(
      *situation.contenders[first].point, *situation.contenders[second].point, settings.metric);
  pair.difference = statistics::summarize(values);
  pair.difference.is_share =
      statistics::metric_type(settings.metric) == statistics::MetricType::share;
  // Bonferroni: with 95 % certainty all intervals of a situation hold at once. Otherwise the best
  // of many contenders could be the winner by chance.
  const auto interval = interval_of(values, pair.difference, 0.05 / static_cast<double>(pairs));
  pair.difference.confidence_95 = interval;
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

Situation situation_of(const PointGroup& group, const ComparisonSettings& settings) {
  Situation situation{.key = group.key, .contenders = {}, .pairs = {}};
  for (const SelectedPoint* point : group.points) {
    const std::string value = cell_text(cell_at(*point, settings.by));
    for (const Contender& other : situation.contenders)
      if (other.value == value)
        throw UsageError("compare: --by " + settings.by + ": points " +
                         std::to_string(other.point->stored.point) + " and " +
                         std::to_string(point->stored.point) +
                         " have the same value and differ elsewhere; name a path that tells them "
                         "apart, or leave one out with --where");
    situation.contenders.push_back({value, words_at(*point, settings.by), point,
                                    summarize(PointGroup{{}, {point}}, settings.metric),
                                    exclusion(*point)});
  }
  add_pairs(situation, settings);
  rank_by_completion(situation);
  return situation;
}

const std::string& said(const Contender& contender, ValuesAs values) {
  return values == ValuesAs::words ? contender.name : contender.value;
}

std::string verdict(const Situation& situation, const PairedDifference& pair, ValuesAs values) {
  if (pair.first_better) return said(situation.contenders[pair.first], values);
  return pair.second_better ? said(situation.contenders[pair.second], values) : kUndecided;
}

std::string heading(const ComparisonSettings& settings, const text::TimeUnit& unit) {
  const std::string in_unit = *unit.word == '\0' ? "" : std::string(" in ") + unit.word;
  return settings.metric + in_unit + ", " + (settings.higher_is_better ? "higher" : "lower") +
         " is better; means with their 95 % intervals";
}

std::string winner_text(const Situation& situation) {
  const Contender* winner = situation.winner();
  return winner == nullptr ? undecided_text(situation) : winner->name;
}

json::JsonValue mean_json(const statistics::Summary& summary) {
  return summary.mean ? json::JsonValue(*summary.mean) : json::JsonValue();
}

/// What has told the two apart.
json::JsonValue decided_by(const PairedDifference& pair) {
  if (!pair.first_better && !pair.second_better) return {};
  return pair.by_completed ? "completed" : "metric";
}

KeyColumns keys_of(const Comparison& comparison, std::size_t width) {
  std::vector<const SelectedPoint*> lines;
  lines.reserve(comparison.situations.size());
  for (const Situation& situation : comparison.situations)
    lines.push_back(situation.contenders.front().point);
  return key_columns(comparison.paths, lines, width);
}

/// "cda,\ninitial_credit 64": the name of a contender as the title of a column of a text table.
std::string title_of(const Contender& contender) {
  std::string title = visible(contender.name);
  for (std::size_t at = title.find(", "); at != std::string::npos; at = title.find(", ", at))
    title[at + 1] = '\n';
  return title;
}

text::TextTable keyed_table(const KeyColumns& keys) {
  text::TextTable table;
  table.columns = keys.columns;
  table.key_columns = keys.columns.size();
  return table;
}

/// The shares of runs that completed, as a table; "" if all did, or if this is what is compared.
std::string completed_table(const Comparison& comparison, const std::string& metric,
                            const KeyColumns& keys, std::size_t width) {
  if (metric == runs::kCompleted || !some_have_not_completed(comparison)) return {};
  text::TextTable table = keyed_table(keys);
  const std::vector<const Contender*> competing = first_of_each_value(comparison);
  for (const Contender* of : competing) table.columns.push_back({title_of(*of)});
  for (std::size_t line = 0; line < comparison.situations.size(); ++line) {
    std::vector<std::string>& row = table.rows.emplace_back(keys.cells[line]);
    for (const Contender* of : competing) {
      const Contender* contender = with_value_of(comparison.situations[line], *of);
      row.push_back(contender == nullptr ? "-" : completed_text(*contender));
    }
  }
  return text::wrapped(
             "Shares of runs that completed, with exact 95 % intervals. Who completes less often "
             "than the best, or less than half of its runs, does not win") +
         "\n" + text::render(table, width) + "\n";
}

/// The number of runs that were to complete, and of those that did.
struct Ends {
  std::size_t reached = 0;
  std::size_t runs = 0;
};

Ends ends_of(const Contender& contender) {
  Ends ends;
  for (const runs::RunRecord& run : contender.point->stored.runs) {
    const auto completed = run.number(runs::kCompleted);
    ends.runs += completed ? 1 : 0;
    ends.reached += completed.value_or(0.0) != 0.0 ? 1 : 0;
  }
  return ends;
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

std::string unequal_endings(const Comparison& comparison) {
  std::map<std::string, Ends> all;
  bool unequal = false;
  for (const Situation& situation : comparison.situations) {
    const Ends first = ends_of(situation.contenders.front());
    for (const Contender& contender : situation.contenders) {
      const Ends ends = ends_of(contender);
      unequal = unequal || ends.reached * first.runs != first.reached * ends.runs;
      all[contender.value].reached += ends.reached;
      all[contender.value].runs += ends.runs;
    }
  }
  if (!unequal) return {};
  std::string shares;
  for (const Contender* contender : first_of_each_value(comparison)) {
    const Ends& ends = all[contender->value];
    shares += (shares.empty() ? "" : "; ") + contender->name + " " + std::to_string(ends.reached) +
              "/" + std::to_string(ends.runs);
  }
  return "Not all runs completed: " + shares +
         ". A run that gives up early is cheap; --metric completed compares how often they "
         "complete, run by run.";
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

Comparison compare(const std::vector<SelectedPoint>& points, const ComparisonSettings& settings) {
  const json::JsonPath by = json::split_path(settings.by);
  if (by.empty())
    throw UsageError("compare: --by " + json::in_quotes(settings.by) +
                     ": expected a path such as termination.name");
  if (by == json::JsonPath{"seed"})
    throw UsageError(
        "compare: --by seed: points of different seeds use different random numbers, expected "
        "another path");
  Comparison comparison;
  for (const std::string& path : swept_paths(points)) {
    const json::JsonPath swept = json::split_path(path);
    if (!json::is_within(swept, by) && !json::is_within(by, swept))
      comparison.paths.push_back(path);
  }
  const std::vector<PointGroup> groups = group_points(points, comparison.paths);
  comparison.situations.reserve(groups.size());
  bool several = false;
  for (const PointGroup& group : groups) {
    comparison.situations.push_back(situation_of(group, settings));
    several = several || group.points.size() > 1;
  }
  if (!several)
    throw UsageError("compare: --by " + settings.by +
                     ": no two points differ only in this, expected a swept path: " +
                     json::any_of(swept_paths(points)));
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

std::string comparison_table(const Comparison& comparison, const ComparisonSettings& settings,
                             std::size_t width) {
  const std::vector<const Contender*> competing = first_of_each_value(comparison);
  const KeyColumns keys = keys_of(comparison, width);
  const text::TimeUnit unit = unit_of_means(comparison, settings.metric);
  text::TextTable means = keyed_table(keys);
  text::TextTable pairs = keyed_table(keys);
  means.columns.push_back({"winner", text::Align::left});
  for (const Contender* of : competing) means.columns.push_back({title_of(*of)});
  for (const char* title : {"first", "second"}) pairs.columns.push_back({title, text::Align::left});
  pairs.columns.push_back({"first - second"});
  pairs.columns.push_back({"better", text::Align::left});
  for (std::size_t line = 0; line < comparison.situations.size(); ++line) {
    const Situation& situation = comparison.situations[line];
    std::vector<std::string> row = keys.cells[line];
    row.push_back(winner_text(situation));
    for (const Contender* of : competing) {
      const Contender* contender = with_value_of(situation, *of);
      row.push_back(contender == nullptr ? "-"
                    : !contender->excluded.empty()
                        ? contender->excluded
                        : text::with_interval(contender->summary, unit.in_one_s));
    }
    means.rows.push_back(std::move(row));
    for (const PairedDifference& pair : situation.pairs) {
      row = keys.cells[line];
      const Contender& first = situation.contenders[pair.first];
      const Contender& second = situation.contenders[pair.second];
      const double largest = std::max(std::fabs(first.summary.mean.value_or(0)),
                                      std::fabs(second.summary.mean.value_or(0)));
      row.insert(row.end(), {first.name, second.name,
                             text::with_interval(pair.difference, unit.in_one_s, largest),
                             verdict(situation, pair, ValuesAs::words)});
      pairs.rows.push_back(std::move(row));
    }
  }
  const bool of_survival =
      statistics::metric_type(settings.metric) == statistics::MetricType::share;
  const std::string note = of_survival ? "" : unequal_endings(comparison);
  const std::string cut_off = cut_off_runs(comparison);
  return text::wrapped(heading(settings, unit) + survivors_words(comparison, settings.metric)) +
         "\n" + keys.legend + text::render(means, width) + "\n" +
         completed_table(comparison, settings.metric, keys, width) +
         text::wrapped(
             "Paired differences, replication by replication; for each line above, the intervals "
             "of all pairs hold together with 95 %") +
         "\n" + text::render(pairs, width) + (note.empty() ? "" : "\n" + text::wrapped(note)) +
         (cut_off.empty() ? "" : "\n" + text::wrapped(cut_off));
}

}  // namespace faultline::store
