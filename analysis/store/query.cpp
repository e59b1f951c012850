// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/query.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/run_strata.hpp"
#include "analysis/runs/usual_metrics.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/text/text_table.hpp"
#include "analysis/text/value_words.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/expression.hpp"
#include "sim/scenario/known_paths.hpp"

namespace faultline::store {

namespace {

json::JsonValue optional_json(const std::optional<double>& value) {
  return value ? json::JsonValue(*value) : json::JsonValue();
}

SelectedPoint selected(StoredPoint stored, const StoredStudy& study) {
  SelectedPoint point{std::move(stored), study, {}, 0};
  if (point.stored.failure.empty())
    point.missing_runs = missing_runs(point.stored);
  else
    point.stored.runs.clear();
  point.values = point.stored.scenario;
  point.values.set("study", study.id);
  point.values.set("point", point.stored.point);
  point.values.set("failure", point.stored.failure);
  return point;
}

/// True if the point has no results because memory ran out, before its program had come to its end.
bool is_lost_to_memory(const SelectedPoint& point) {
  return point.stored.failure.starts_with(runs::kMemoryError) &&
         runs::frame_of(point.stored.scenario).ends_with_program;
}

/// True if the point tells something of the metric: it has results, or has failed in a way that
/// counts.
bool counts_for(const std::string& metric, const SelectedPoint& point) {
  return point.stored.failure.empty() || (metric == runs::kCompleted && is_lost_to_memory(point));
}

/// True if the values of a metric in these runs are worth a column.
bool tells_something(const std::vector<SelectedPoint>& points, const std::string& metric) {
  return std::any_of(points.begin(), points.end(), [&](const SelectedPoint& point) {
    const auto& records = point.stored.runs;
    return std::any_of(records.begin(), records.end(), [&](const runs::RunRecord& run) {
      const auto value = run.number(metric);
      return value && runs::tells_something(metric, *value);
    });
  });
}

std::vector<scenario::Expression> parsed(const std::vector<std::string>& conditions) {
  std::vector<scenario::Expression> result;
  result.reserve(conditions.size());
  for (const std::string& condition : conditions) {
    try {
      result.push_back(scenario::Expression::parse(condition));
    } catch (const UsageError& error) {
      throw UsageError("--where " + json::in_quotes(condition) + ": " + error.what());
    }
  }
  return result;
}

bool satisfies(const SelectedPoint& point, const std::vector<scenario::Expression>& conditions) {
  return std::all_of(
      conditions.begin(), conditions.end(), [&](const scenario::Expression& condition) {
        try {
          return condition.holds([&](const json::JsonPath& path) { return point.at(path); });
        } catch (const UsageError& error) {
          throw UsageError("--where: point " + std::to_string(point.stored.point) + ": " +
                           error.what());
        }
      });
}

/// The paths that the user has named, and that neither a scenario could state nor any point of the
/// store has.
class NamedPaths {
 public:
  explicit NamedPaths(std::string place) : place_(std::move(place)) {}

  void name(const json::JsonPath& path) {
    if (!scenario::KnownPaths::of_scenarios().contains(path)) strange_.push_back(path);
  }

  /// Adds the paths of another point.
  void look_at(const SelectedPoint& point) {
    std::erase_if(strange_, [&](const json::JsonPath& path) { return point.at(path) != nullptr; });
    if (!strange_.empty() && example_.is_null()) example_ = point.values;
  }

  /// Throws UsageError for the first path that no point had.
  void check() const {
    if (strange_.empty()) return;
    scenario::KnownPaths known = scenario::KnownPaths::of_scenarios();
    known.add(example_);
    throw UsageError(place_ + ": " + known.refusal(strange_.front(), "the points of the store"));
  }

 private:
  std::string place_;
  std::vector<json::JsonPath> strange_;
  json::JsonValue example_;  ///< the paths of a point
};

Row run_row(const SelectedPoint& point, const runs::RunRecord& run,
            const std::vector<std::string>& paths, const std::vector<std::string>& metrics) {
  Row row = {{"study", point.study.id},
             {"name", point.study.name},
             {"point", point.stored.point},
             {"replication", run.replication},
             {"scenario_hash", point.stored.scenario_hash},
             {"faultline", point.study.faultline},
             {"simgrid", point.study.simgrid.empty() ? json::JsonValue()
                                                     : json::JsonValue(point.study.simgrid)},
             {"engine", point.stored.engine},
             {"seed", point.stored.seed}};
  for (const std::string& path : paths)
    if (path != "study" && path != "engine" && path != "seed")
      row.push_back({path, cell_at(point, path)});
  row.push_back({"outcome", engine::outcome_word(run.outcome)});
  for (const std::string& name : metrics) row.push_back({name, run.cell(name)});
  row.push_back({"violations", static_cast<std::int64_t>(run.violations.size())});
  row.push_back({"events", run.events});
  row.push_back({"wall_s", run.wall_s});
  row.push_back({"peak_rss_bytes", run.peak_rss_bytes});
  return row;
}

[[noreturn]] void refuse_strata(const SelectedPoint& point) {
  throw UsageError("study " + std::to_string(point.study.id) + ", point " +
                   std::to_string(point.stored.point) +
                   ": its strata are not those of the points that would count with it; tell them "
                   "apart with --group-by, or leave some out with --where");
}

}  // namespace

const json::JsonValue* SelectedPoint::at(const json::JsonPath& path) const {
  for (const json::JsonMember& parameter : stored.parameters) {
    const json::JsonPath swept = json::split_path(parameter.key);
    if (!json::is_within(path, swept)) continue;
    const json::JsonPath inner(path.begin() + static_cast<std::ptrdiff_t>(swept.size()),
                               path.end());
    if (const json::JsonValue* found = json::find_at(parameter.value, inner)) return found;
  }
  return json::find_at(values, path);
}

std::vector<SelectedPoint> select_points(ResultStore& store,
                                         const std::vector<std::string>& conditions) {
  const std::vector<scenario::Expression> wanted = parsed(conditions);
  NamedPaths named("--where");
  for (const scenario::Expression& condition : wanted)
    for (const json::JsonPath& path : condition.paths()) named.name(path);
  std::vector<SelectedPoint> result;
  std::string trouble;  // reported only if all paths are known: a wrong one may be its cause
  for (const StoredStudy& study : store.studies())
    for (StoredPoint& stored : store.points(study.id)) {
      SelectedPoint point = selected(std::move(stored), study);
      named.look_at(point);
      try {
        if (trouble.empty() && satisfies(point, wanted)) result.push_back(std::move(point));
      } catch (const UsageError& error) {
        trouble = error.what();
      }
    }
  named.check();
  if (!trouble.empty()) throw UsageError(trouble);
  return result;
}

void check_paths(const std::string& option, const std::vector<std::string>& paths,
                 const std::vector<SelectedPoint>& points) {
  NamedPaths named(option);
  for (const std::string& path : paths)
    if (const json::JsonPath steps = json::split_path(path); !steps.empty()) named.name(steps);
  for (const SelectedPoint& point : points) named.look_at(point);
  named.check();
}

std::vector<std::string> swept_paths(const std::vector<SelectedPoint>& points) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  };
  for (const SelectedPoint& point : points)
    if (point.study.id != points.front().study.id) add("study");
  for (const SelectedPoint& point : points)
    for (const json::JsonMember& parameter : point.stored.parameters) add(parameter.key);
  return paths;
}

bool has_one_value(const std::vector<SelectedPoint>& points, const std::string& path) {
  return group_points(points, {path}).size() < 2;
}

std::string common_values(const std::vector<SelectedPoint>& points) {
  std::string text;
  for (const std::string& path : swept_paths(points))
    if (has_one_value(points, path))
      text += (text.empty() ? "" : "; ") + path + "=" + words_at(points.front(), path);
  return text;
}

json::JsonValue cell_at(const SelectedPoint& point, const std::string& path) {
  const json::JsonPath steps = json::split_path(path);
  if (steps.empty())
    throw UsageError(json::in_quotes(path) + ": expected a path such as termination.name");
  const json::JsonValue* value = point.at(steps);
  if (value == nullptr) return {};
  const json::JsonValue* name = value->find("name");
  if (name != nullptr && value->object()->size() == 1) return *name;
  if (value->object() != nullptr || value->list() != nullptr) return json::to_json(*value);
  return *value;
}

std::string words_at(const SelectedPoint& point, const std::string& path) {
  const json::JsonValue* value = point.at(json::split_path(path));
  return value == nullptr ? "-" : text::value_words(*value);
}

std::vector<std::string> metric_names(const std::vector<SelectedPoint>& points) {
  std::set<std::string> names;
  for (const SelectedPoint& point : points) {
    if (is_lost_to_memory(point)) names.insert(runs::kCompleted);
    for (const runs::RunRecord& run : point.stored.runs) {
      names.insert("terminated");
      for (const auto* metrics : {&run.metrics, &run.derived})
        for (const runs::RunMetric& metric : *metrics) names.insert(metric.name);
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> usual_metrics(const std::vector<SelectedPoint>& points) {
  std::vector<runs::StackText> stacks;
  stacks.reserve(points.size());
  for (const SelectedPoint& point : points) stacks.push_back(runs::stack_text(point.values));
  std::vector<std::string> usual = runs::usual_metrics(runs::families_that_matter(stacks));
  const std::vector<std::string> known = metric_names(points);
  std::erase_if(usual, [&](const std::string& metric) {
    return !std::binary_search(known.begin(), known.end(), metric) ||
           !tells_something(points, metric);
  });
  return usual;
}

std::vector<Row> run_rows(const std::vector<SelectedPoint>& points) {
  const std::vector<std::string> paths = swept_paths(points);
  std::vector<std::string> metrics = metric_names(points);
  for (const char* first : {"terminated", runs::kCompleted}) {
    std::erase(metrics, first);
    metrics.insert(metrics.begin(), first);
  }
  std::vector<Row> rows;
  for (const SelectedPoint& point : points)
    for (const runs::RunRecord& run : point.stored.runs)
      rows.push_back(run_row(point, run, paths, metrics));
  return rows;
}

std::vector<PointGroup> group_points(const std::vector<SelectedPoint>& points,
                                     const std::vector<std::string>& paths) {
  std::vector<PointGroup> groups;
  std::map<std::string, std::size_t> known;
  for (const SelectedPoint& point : points) {
    std::vector<json::JsonValue> key;
    key.reserve(paths.size());
    for (const std::string& path : paths) key.push_back(cell_at(point, path));
    const auto [place, is_new] = known.emplace(json::to_json(key), groups.size());
    if (is_new) groups.push_back({std::move(key), {}});
    groups[place->second].points.push_back(&point);
  }
  return groups;
}

GroupSample sample(const PointGroup& group, const std::string& metric) {
  struct Shared {
    double sum = 0;
    std::size_t count = 0;
    std::size_t runs = 0;  ///< with or without a value
    bool cut_off = false;
    std::optional<statistics::Stratum> stratum;
  };
  std::map<std::int64_t, std::size_t> points_of_seed;
  std::map<std::int64_t, std::size_t> lost_of_seed;
  std::map<std::pair<std::int64_t, std::int64_t>, Shared> shared;  // by seed and replication
  for (const SelectedPoint* point : group.points) {
    if (!counts_for(metric, *point)) continue;
    ++(point->stored.failure.empty() ? points_of_seed : lost_of_seed)[point->stored.seed];
    for (const runs::RunRecord& run : point->stored.runs) {
      Shared& place = shared[{point->stored.seed, run.replication}];
      const auto stratum = runs::stratum_of(run);
      if (place.runs > 0 && place.stratum != stratum) refuse_strata(*point);
      place.stratum = stratum;
      ++place.runs;
      const auto value = run.number(metric);
      if (!value) continue;
      place.sum += *value;
      ++place.count;
      place.cut_off = place.cut_off || runs::is_cut_off(run);
    }
  }
  GroupSample sample;
  for (const auto& [key, place] : shared) {
    const std::size_t points = points_of_seed[key.first];
    if (place.runs != points) continue;
    std::optional<double> value;
    if (place.count == points)
      value = place.sum / static_cast<double>(points + lost_of_seed[key.first]);
    if (place.stratum) sample.strata.add(*place.stratum, value);
    if (!value) continue;
    sample.values.push_back(*value);
    sample.cut_off += place.cut_off ? 1 : 0;
  }
  for (const auto& [seed, lost] : lost_of_seed)
    if (!points_of_seed.contains(seed)) sample.values.push_back(0.0);
  return sample;
}

bool sampled_by_strata(const std::vector<SelectedPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const SelectedPoint& point) {
    return std::any_of(
        point.stored.runs.begin(), point.stored.runs.end(),
        [](const runs::RunRecord& run) { return runs::stratum_of(run).has_value(); });
  });
}

statistics::Summary summarize(const PointGroup& group, const std::string& metric) {
  std::set<std::int64_t> seeds;
  std::size_t points = 0;
  for (const SelectedPoint* point : group.points) {
    if (!counts_for(metric, *point)) continue;
    seeds.insert(point->stored.seed);
    ++points;
  }
  const GroupSample of = sample(group, metric);
  const bool of_runs = points == seeds.size();
  statistics::Summary summary =
      of.strata.empty() ? statistics::summarize(statistics::metric_type(metric), of.values,
                                                of_runs ? statistics::ShareValues::runs
                                                        : statistics::ShareValues::means)
                        : of.strata.summary(runs::strata_of(metric, of_runs));
  runs::mark_cut_off(summary, metric, of.cut_off);
  return summary;
}

text::TimeUnit unit_of(const std::vector<PointGroup>& groups, const std::string& metric) {
  const statistics::MetricType type = statistics::metric_type(metric);
  double largest = 0;
  for (const PointGroup& group : groups)
    largest = std::max(largest, std::fabs(summarize(group, metric).mean.value_or(0)));
  return text::unit_of(type, largest);
}

std::vector<Row> summary_rows(const std::vector<PointGroup>& groups,
                              const std::vector<std::string>& paths,
                              const std::vector<std::string>& metrics) {
  std::vector<Row> rows;
  for (const PointGroup& group : groups)
    for (const std::string& metric : metrics) {
      const statistics::Summary summary = summarize(group, metric);
      const auto& interval = summary.confidence_95;
      const auto failed =
          std::count_if(group.points.begin(), group.points.end(),
                        [](const SelectedPoint* point) { return !point->stored.failure.empty(); });
      Row row;
      for (std::size_t i = 0; i < paths.size(); ++i) row.push_back({paths[i], group.key[i]});
      row.insert(row.end(),
                 {{"metric", metric},
                  {"points", static_cast<std::int64_t>(group.points.size())},
                  {"failed_points", static_cast<std::int64_t>(failed)},
                  {"count", static_cast<std::int64_t>(summary.count)},
                  {"mean", optional_json(summary.mean)},
                  {"standard_deviation", optional_json(summary.standard_deviation)},
                  {"low", interval ? json::JsonValue(interval->low) : json::JsonValue()},
                  {"high", interval ? json::JsonValue(interval->high) : json::JsonValue()},
                  {"min", optional_json(summary.min)},
                  {"max", optional_json(summary.max)},
                  {"cut_off", static_cast<std::int64_t>(summary.cut_off)},
                  {"bound", runs::bound_json(summary.bound)}});
      rows.push_back(std::move(row));
    }
  return rows;
}

std::string rows_json(const std::vector<Row>& rows) {
  std::string text = "[";
  for (const Row& row : rows) text += (&row == rows.data() ? "\n  " : ",\n  ") + json::to_json(row);
  return text + "\n]\n";
}

std::string rows_csv(const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  std::vector<std::string> fields;
  for (const json::JsonMember& member : rows.front()) fields.push_back(member.key);
  std::string text = text::csv_record(fields);
  for (const Row& row : rows) {
    fields.clear();
    for (const json::JsonMember& member : row) fields.push_back(text::csv_field(member.value));
    text += text::csv_record(fields);
  }
  return text;
}

std::string rows_text(const std::vector<Row>& rows, const std::string& format) {
  return format == "csv" ? rows_csv(rows) : rows_json(rows);
}

std::string cell_text(const json::JsonValue& cell) {
  if (cell.is_null()) return "-";
  return cell.text() != nullptr ? *cell.text() : json::to_json(cell);
}

std::string path_title(const std::string& path) {
  std::string title;
  for (const char c : path) title += c == '.' ? std::string(".\n") : std::string(1, c);
  return title;
}

KeyColumns key_columns(const std::vector<std::string>& paths,
                       const std::vector<const SelectedPoint*>& lines, std::size_t table_width) {
  KeyColumns result;
  for (const SelectedPoint* point : lines) {
    std::vector<std::string>& cells = result.cells.emplace_back();
    for (const std::string& path : paths) cells.push_back(words_at(*point, path));
  }
  std::size_t width = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    result.columns.push_back({path_title(paths[i]), text::Align::left});
    std::size_t widest = paths[i].size() - std::min(paths[i].size(), paths[i].rfind('.') + 1);
    for (const auto& cells : result.cells) widest = std::max(widest, cells[i].size());
    width += widest + 2;
  }
  if (!paths.empty() && width <= table_width / 2) return result;
  for (std::size_t number = 0; number < lines.size(); ++number) {
    std::string words = std::to_string(number) + ":";
    for (std::size_t i = 0; i < paths.size(); ++i)
      words += (i == 0 ? " " : "; ") + paths[i] + "=" + result.cells[number][i];
    if (!paths.empty()) result.legend += text::wrapped(words);
    result.cells[number] = {std::to_string(number)};
  }
  if (!result.legend.empty()) result.legend += "\n";
  result.columns = {{"line", text::Align::left}};
  return result;
}

}  // namespace faultline::store
