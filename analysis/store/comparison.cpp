#include "analysis/store/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/runs/exit_code.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/statistics/share_interval.hpp"
#include "analysis/text/summary_text.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"

namespace faultline {

namespace {

constexpr const char* kUndecided = "no difference shown";

std::vector<double> differences(const SelectedPoint& a, const SelectedPoint& b,
                                const std::string& metric) {
  std::map<std::int64_t, double> values;
  for (const RunRecord& run : b.stored.runs)
    if (const auto number = run.number(metric)) values[run.replication] = *number;
  std::vector<double> result;
  for (const RunRecord& run : a.stored.runs) {
    const auto number = run.number(metric);
    const auto other = values.find(run.replication);
    if (number && other != values.end()) result.push_back(*number - other->second);
  }
  return result;
}

/// Why a point cannot win: what breaks its promises is not cheap.
std::string exclusion(const SelectedPoint& point) {
  if (!point.stored.failure.empty()) return "failed";
  const auto violated =
      std::count_if(point.stored.runs.begin(), point.stored.runs.end(),
                    [](const RunRecord& run) { return exit_code(run) != kExitGood; });
  if (violated == 0) return {};
  return std::to_string(violated) + (violated == 1 ? " bad run" : " bad runs");
}

/// The interval of a mean of paired differences that misses it with this probability.
std::optional<Interval> interval_of(const std::vector<double>& differences, const Summary& summary,
                                    double outside) {
  if (summary.is_share) {
    const auto pairs_of = [&](double difference) {
      return static_cast<std::size_t>(
          std::count(differences.begin(), differences.end(), difference));
    };
    if (summary.count == 0) return std::nullopt;
    return share_difference_interval(
        {.pairs = summary.count, .first_alone = pairs_of(1.0), .second_alone = pairs_of(-1.0)},
        outside);
  }
  if (!summary.standard_deviation) return std::nullopt;
  const double half_width = student_t(summary.count, outside) * *summary.standard_deviation /
                            std::sqrt(static_cast<double>(summary.count));
  return Interval{*summary.mean - half_width, *summary.mean + half_width};
}

PairedDifference paired(const Situation& situation, std::size_t first, std::size_t second,
                        std::size_t pairs, const ComparisonSettings& settings) {
  PairedDifference pair{.first = first, .second = second, .difference = {}};
  const std::vector<double> values = differences(
      *situation.contenders[first].point, *situation.contenders[second].point, settings.metric);
  pair.difference = summarize(values);
  pair.difference.is_share = metric_type(settings.metric) == MetricType::share;
  // All intervals of a situation hold together with 95 % (Bonferroni), so that the best of many is
  // no winner by chance.
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
    const std::string name = cell_text(cell_at(*point, settings.by));
    for (const Contender& other : situation.contenders)
      if (other.name == name)
        throw UsageError("compare: --by " + settings.by + ": points " +
                         std::to_string(other.point->stored.point) + " and " +
                         std::to_string(point->stored.point) +
                         " have the same value and differ elsewhere; name a path that tells them "
                         "apart, or leave one out with --where");
    situation.contenders.push_back(
        {name, point, summarize(PointGroup{{}, {point}}, settings.metric), exclusion(*point)});
  }
  add_pairs(situation, settings);
  return situation;
}

std::string verdict(const Situation& situation, const PairedDifference& pair) {
  if (pair.first_better) return situation.contenders[pair.first].name;
  return pair.second_better ? situation.contenders[pair.second].name : kUndecided;
}

std::string heading(const ComparisonSettings& settings, const TimeUnit& unit) {
  const std::string in_unit = *unit.word == '\0' ? "" : std::string(" in ") + unit.word;
  return settings.metric + in_unit + ", " + (settings.higher_is_better ? "higher" : "lower") +
         " is better; means with their 95 % intervals";
}

std::string winner_text(const Situation& situation) {
  if (situation.pairs.empty()) return "nothing to compare";
  const Contender* winner = situation.winner();
  return winner == nullptr ? kUndecided : winner->name;
}

JsonValue mean_json(const Contender& contender) {
  return contender.summary.mean ? JsonValue(*contender.summary.mean) : JsonValue();
}

KeyColumns keys_of(const Comparison& comparison, std::size_t width) {
  std::vector<std::vector<JsonValue>> keys;
  keys.reserve(comparison.situations.size());
  for (const Situation& situation : comparison.situations) keys.push_back(situation.key);
  return key_columns(comparison.paths, keys, width);
}

TextTable keyed_table(const KeyColumns& keys) {
  TextTable table;
  table.columns = keys.columns;
  table.key_columns = keys.columns.size();
  return table;
}

/// How many runs there are, and how many of them reached their end.
struct Ends {
  std::size_t reached = 0;
  std::size_t runs = 0;
};

Ends ends_of(const Contender& contender) {
  const auto& runs = contender.point->stored.runs;
  const auto reached = std::count_if(runs.begin(), runs.end(), survived);
  return {static_cast<std::size_t>(reached), runs.size()};
}

}  // namespace

std::vector<std::string> names_of(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const Situation& situation : comparison.situations)
    for (const Contender& contender : situation.contenders)
      if (std::find(names.begin(), names.end(), contender.name) == names.end())
        names.push_back(contender.name);
  return names;
}

TimeUnit unit_of_means(const Comparison& comparison, const std::string& metric) {
  double largest = 0;
  for (const Situation& situation : comparison.situations)
    for (const Contender& contender : situation.contenders)
      largest = std::max(largest, std::fabs(contender.summary.mean.value_or(0)));
  return unit_of(metric_type(metric), largest);
}

std::string unequal_endings(const Comparison& comparison) {
  std::map<std::string, Ends> all;
  bool unequal = false;
  for (const Situation& situation : comparison.situations) {
    const Ends first = ends_of(situation.contenders.front());
    for (const Contender& contender : situation.contenders) {
      const Ends ends = ends_of(contender);
      unequal = unequal || ends.reached * first.runs != first.reached * ends.runs;
      all[contender.name].reached += ends.reached;
      all[contender.name].runs += ends.runs;
    }
  }
  if (!unequal) return {};
  std::string shares;
  for (const std::string& name : names_of(comparison))
    shares += (shares.empty() ? "" : ", ") + name + " " + std::to_string(all[name].reached) + "/" +
              std::to_string(all[name].runs);
  return "Not all runs survived: " + shares +
         ". A run that gives up early is cheap; also compare --metric terminated "
         "--higher-is-better, too.";
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
    if (others > 0 && beaten == others) return &contenders[i];
  }
  return nullptr;
}

Comparison compare(const std::vector<SelectedPoint>& points, const ComparisonSettings& settings) {
  const JsonPath by = split_path(settings.by);
  if (by.empty())
    throw UsageError("compare: --by " + in_quotes(settings.by) +
                     ": expected a path such as termination.name");
  if (by == JsonPath{"seed"})
    throw UsageError(
        "compare: --by seed: other seeds give other random numbers, expected a path "
        "of which only the value differs");
  Comparison comparison;
  for (const std::string& path : swept_paths(points)) {
    const JsonPath swept = split_path(path);
    if (!is_within(swept, by) && !is_within(by, swept)) comparison.paths.push_back(path);
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
                     ": no two points differ only in this; swept are " +
                     any_of(swept_paths(points)));
  return comparison;
}

std::vector<Row> comparison_rows(const Comparison& comparison) {
  std::vector<Row> rows;
  for (const Situation& situation : comparison.situations)
    for (const PairedDifference& pair : situation.pairs) {
      const Contender& first = situation.contenders[pair.first];
      const Contender& second = situation.contenders[pair.second];
      const Contender* winner = situation.winner();
      Row row;
      for (std::size_t i = 0; i < comparison.paths.size(); ++i)
        row.push_back({comparison.paths[i], situation.key[i]});
      const auto& mean = pair.difference.mean;
      const auto& interval = pair.difference.confidence_95;
      row.insert(row.end(),
                 {{"first", first.name},
                  {"second", second.name},
                  {"first_mean", mean_json(first)},
                  {"second_mean", mean_json(second)},
                  {"pairs", static_cast<std::int64_t>(pair.difference.count)},
                  {"difference", mean ? JsonValue(*mean) : JsonValue()},
                  {"low", interval ? JsonValue(interval->low) : JsonValue()},
                  {"high", interval ? JsonValue(interval->high) : JsonValue()},
                  {"verdict", verdict(situation, pair)},
                  {"winner", winner == nullptr ? JsonValue() : JsonValue(winner->name)}});
      rows.push_back(std::move(row));
    }
  return rows;
}

std::string comparison_table(const Comparison& comparison, const ComparisonSettings& settings,
                             std::size_t width) {
  const std::vector<std::string> names = names_of(comparison);
  const KeyColumns keys = keys_of(comparison, width);
  const TimeUnit unit = unit_of_means(comparison, settings.metric);
  TextTable means = keyed_table(keys);
  TextTable pairs = keyed_table(keys);
  means.columns.push_back({"winner", Align::left});
  for (const std::string& name : names) means.columns.push_back({name});
  for (const char* title : {"first", "second"}) pairs.columns.push_back({title, Align::left});
  pairs.columns.push_back({"first - second"});
  pairs.columns.push_back({"better", Align::left});
  for (std::size_t line = 0; line < comparison.situations.size(); ++line) {
    const Situation& situation = comparison.situations[line];
    std::vector<std::string> row = keys.cells[line];
    row.push_back(winner_text(situation));
    for (const std::string& name : names) {
      std::string cell = "-";
      for (const Contender& contender : situation.contenders)
        if (contender.name == name)
          cell = contender.excluded.empty() ? with_interval(contender.summary, unit.in_one_s)
                                            : contender.excluded;
      row.push_back(cell);
    }
    means.rows.push_back(std::move(row));
    for (const PairedDifference& pair : situation.pairs) {
      row = keys.cells[line];
      row.insert(row.end(),
                 {situation.contenders[pair.first].name, situation.contenders[pair.second].name,
                  with_interval(pair.difference, unit.in_one_s), verdict(situation, pair)});
      pairs.rows.push_back(std::move(row));
    }
  }
  const bool of_survival = metric_type(settings.metric) == MetricType::share;
  const std::string note = of_survival ? "" : unequal_endings(comparison);
  return wrapped(heading(settings, unit)) + "\n" + keys.legend + render(means, width) + "\n" +
         wrapped(
             "Paired differences, replication by replication; the 95 % hold for all pairs of a "
             "line above together") +
         "\n" + render(pairs, width) + (note.empty() ? "" : "\n" + wrapped(note));
}

}  // namespace faultline
