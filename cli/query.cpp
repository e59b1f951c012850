// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <algorithm>
#include <ostream>

#include "analysis/runs/cut_off.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/store/query.hpp"
#include "analysis/store/wide_rows.hpp"
#include "analysis/text/summary_text.hpp"
#include "analysis/text/text_table.hpp"
#include "cli/output_file.hpp"
#include "cli/stored_points.hpp"
#include "sim/core/error.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

Words metrics_of(const po::variables_map& values, const std::vector<store::SelectedPoint>& points,
                 bool few) {
  if (values.count("metric") == 0)
    return few ? store::usual_metrics(points) : store::metric_names(points);
  Words wanted = listed_words_of(values, "metric");
  check_metrics("query: --metric", wanted, points);
  return wanted;
}

/// The metrics of a table: whatever else it shows, first the share of the runs that completed, if
/// that is a question.
Words with_completed(Words metrics, const std::vector<store::PointGroup>& groups) {
  const std::string completed = runs::kCompleted;
  const bool is_known =
      std::any_of(groups.begin(), groups.end(), [&](const store::PointGroup& group) {
        return !store::sample(group, completed).values.empty();
      });
  if (is_known && std::find(metrics.begin(), metrics.end(), completed) == metrics.end())
    metrics.insert(metrics.begin(), completed);
  return metrics;
}

std::string table_text(const std::vector<store::PointGroup>& groups, const Words& paths,
                       const Words& metrics, std::size_t width) {
  std::vector<const store::SelectedPoint*> lines;
  lines.reserve(groups.size());
  for (const store::PointGroup& group : groups) lines.push_back(group.points.front());
  const store::KeyColumns shown = store::key_columns(paths, lines, width);
  text::TextTable table;
  table.columns = shown.columns;
  table.rows = shown.cells;
  table.key_columns = table.columns.size();
  std::vector<text::TimeUnit> units;
  for (const std::string& metric : metrics) {
    units.push_back(store::unit_of(groups, metric));
    table.columns.push_back({text::column_title(metric, units.back())});
  }
  std::size_t failed = 0;
  for (std::size_t line = 0; line < groups.size(); ++line) {
    const store::PointGroup& group = groups[line];
    for (std::size_t i = 0; i < metrics.size(); ++i)
      table.rows[line].push_back(
          text::with_interval(store::summarize(group, metrics[i]), units[i].in_one_s));
    for (const store::SelectedPoint* point : group.points)
      failed += point->stored.failure.empty() ? 0 : 1;
  }
  std::string text = shown.legend + text::render(table, width);
  if (failed > 0)
    text += "\n" + std::to_string(failed) + (failed == 1 ? " point has" : " points have") +
            " failed and do not count: --where \"failure != ''\"\n";
  return text;
}

std::string fatal_text(const std::vector<store::SelectedPoint>& points) {
  const std::string reasons = store::fatal_reasons(points);
  return reasons.empty() ? reasons : "\n" + text::wrapped(reasons);
}

std::string spared_text(const std::vector<store::PointGroup>& groups, const Words& paths) {
  const std::string spared = store::spared_groups(groups, paths);
  return spared.empty() ? spared : "\n" + spared;
}

std::string cut_off_text(const std::vector<store::SelectedPoint>& points) {
  const std::string note = runs::cut_off_note(store::run_count(points));
  return note.empty() ? note : "\n" + text::wrapped(note);
}

std::string answer(const po::variables_map& values, const std::vector<store::SelectedPoint>& points,
                   std::size_t width) {
  const std::string format = values["format"].as<std::string>();
  const bool runs = values.count("runs") != 0;
  const bool wide = values.count("wide") != 0;
  for (const char* option : {"runs", "wide"})
    if (values.count(option) != 0 && format == "table")
      throw UsageError(std::string("query: --") + option +
                       ": expected --format csv or json with it");
  if (runs)
    return store::rows_text(wide ? store::wide_run_rows(points) : store::run_rows(points), format);
  const Words paths = values.count("group-by") != 0
                          ? split_at_commas(values["group-by"].as<std::string>())
                          : store::swept_paths(points);
  if (values.count("group-by") != 0) store::check_paths("query: --group-by", paths, points);
  const std::vector<store::PointGroup> groups = store::group_points(points, paths);
  const Words metrics = metrics_of(values, points, format == "table");
  if (format == "table")
    return table_text(groups, paths, with_completed(metrics, groups), width) +
           missing_text(points) + fatal_text(points) + spared_text(groups, paths) +
           cut_off_text(points);
  return store::rows_text(
      wide ? store::wide_rows(groups, paths, metrics) : store::summary_rows(groups, paths, metrics),
      format);
}

VerbOptions query_options() {
  VerbOptions verb{.verb = "query",
                   .usage =
                       "query STORE [--where CONDITION]... [--group-by PATH[,PATH]...]\n"
                       "       [--metric NAME[,NAME]...]... [--runs] [--wide]\n"
                       "       [--format table|csv|json] [--out FILE]",
                   .about =
                       "Prints means and 95 % intervals from a store, one line for each point or "
                       "group of points. docs/sweeps.md explains conditions."};
  auto add = verb.options.add_options();
  add("where", po::value<Words>()->composing()->value_name("CONDITION"),
      R"(only points that satisfy it, as in --where "termination.name == 'cda'")");
  add("group-by", po::value<std::string>()->value_name("PATHS"),
      "one line for each combination of the values of these paths (default: everything swept)");
  add("metric", po::value<Words>()->composing()->value_name("NAMES"),
      "only these metrics, with commas between several; a table begins with completed "
      "nevertheless");
  add("runs", "one line for each replication instead of means");
  add("wide",
      "CSV and JSON for data frames: one line for each point or group, with a column for each "
      "swept "
      "value and each metric");
  add_format(verb, {"table", "csv", "json"});
  add_out(verb);
  verb.hidden.add_options()("store", po::value<std::string>());
  verb.positional.add("store", 1);
  return verb;
}

int carry_out_query(const Call& call) {
  const po::variables_map& values = call.values;
  if (values.count("store") == 0)
    throw UsageError("query: expected a store: faultline query RESULTS.sqlite");
  const auto points = stored_points(values["store"].as<std::string>(), words_of(values, "where"));
  OutputFile output(text_of(values, "out"));
  output.write(answer(values, points, output.table_width()));
  return runs::kExitGood;
}

}  // namespace

Verb query_verb() {
  return {.name = "query",
          .summary = "print means and intervals from a store",
          .options = query_options,
          .run = carry_out_query};
}

}  // namespace faultline::cli
