// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/what_was_run.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "analysis/report/chart_layout.hpp"
#include "analysis/report/study_charts.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/text/shell_words.hpp"
#include "analysis/text/summary_text.hpp"
#include "analysis/text/value_words.hpp"
#include "sim/core/stack.hpp"

namespace faultline::report {

namespace {

constexpr std::size_t kMostFailures = 100;
constexpr std::size_t kMostGroups = 500;
std::string joined(const std::vector<std::string>& words, const char* between = ", ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// The distinct texts, in order of first occurrence.
template <class Point, class Text>
std::vector<std::string> distinct(const std::vector<Point>& points, const Text& text_of) {
  std::vector<std::string> found;
  std::set<std::string> known;
  for (const Point& point : points) {
    std::string text = text_of(point);
    if (known.insert(text).second) found.push_back(std::move(text));
  }
  return found;
}

void add_row(drawing::HtmlTable& table, const std::string& what, const std::string& html) {
  table.rows.push_back({{what, ""}, {html, "long"}});
}

std::string replications_words(const std::vector<store::SelectedPoint>& points) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::size_t most = 0;
  std::size_t all = 0;
  for (const store::SelectedPoint& point : points) {
    if (!point.stored.failure.empty()) continue;
    least = std::min(least, point.stored.runs.size());
    most = std::max(most, point.stored.runs.size());
    all += point.stored.runs.size();
  }
  std::string each = std::to_string(most);
  if (least < most) each = std::to_string(least) + " to " + each;
  return each + " of each point, " + std::to_string(all) + " runs";
}

std::string endings_words(const std::vector<store::SelectedPoint>& points) {
  std::map<std::string, std::size_t> endings;
  std::size_t bad = 0;
  for (const store::SelectedPoint& point : points)
    for (const runs::RunRecord& run : point.stored.runs) {
      ++endings[engine::outcome_word(run.outcome)];
      bad += runs::exit_code(run) == runs::kExitViolation ? 1 : 0;
    }
  const runs::RunCount all = store::run_count(points);
  std::vector<std::string> words;
  words.reserve(endings.size());
  for (const auto& [word, count] : endings) words.push_back(std::to_string(count) + " " + word);
  std::string text = drawing::escaped(joined(words));
  if (bad > 0)
    text +=
        "; <strong class=\"alarm\">&#9888; " + std::to_string(bad) + " broke a promise</strong>";
  if (all.cut_off > 0)
    text += "; <strong class=\"alarm\">&#9888; " + drawing::escaped(runs::cut_off_count(all)) +
            ", which is no result: means with such runs are bounds at best</strong>";
  return text;
}

/// "38 of 40 runs"; "" where it is no question whether a run completes.
std::string completed_words(const std::vector<store::SelectedPoint>& points) {
  std::size_t runs = 0;
  double completed = 0.0;
  for (const store::SelectedPoint& point : points) {
    const store::GroupSample of = store::sample({{}, {&point}}, runs::kCompleted);
    runs += of.values.size();
    completed = std::accumulate(of.values.begin(), of.values.end(), completed);
  }
  if (runs == 0) return {};
  return std::to_string(static_cast<std::size_t>(completed)) + " of " + std::to_string(runs) +
         (runs == 1 ? " run" : " runs");
}

drawing::HtmlTable identity_table(const std::vector<store::SelectedPoint>& points) {
  const store::StoredStudy& study = points.front().study;
  drawing::HtmlTable table{.caption = "The study", .columns = {"what", "value"}, .rows = {}};
  const auto failed = std::count_if(
      points.begin(), points.end(),
      [](const store::SelectedPoint& point) { return !point.stored.failure.empty(); });
  const auto whole =
      std::count_if(points.begin(), points.end(), [](const store::SelectedPoint& point) {
        return point.stored.failure.empty() && point.missing_runs == 0;
      });
  std::string done = std::to_string(whole) + " of " + std::to_string(study.points) + " done";
  if (failed > 0)
    done += ", <strong class=\"alarm\">&#9888; " + std::to_string(failed) + " failed</strong>";
  add_row(table, "points", done);
  add_row(table, "replications", replications_words(points));
  const std::string missing = store::missing_note(points);
  if (!missing.empty()) add_row(table, "missing", missing);
  add_row(table, "runs ended", endings_words(points));
  const std::string completed = completed_words(points);
  if (!completed.empty()) add_row(table, "completed", completed);
  const std::string reasons = store::fatal_reasons(points);
  if (!reasons.empty()) add_row(table, "why fatal", drawing::escaped(reasons));
  const auto engines =
      distinct(points, [](const store::SelectedPoint& point) { return point.stored.engine; });
  const auto seeds = distinct(
      points, [](const store::SelectedPoint& point) { return std::to_string(point.stored.seed); });
  add_row(table, "engine", drawing::escaped(joined(engines)));
  add_row(table, seeds.size() == 1 ? "seed" : "seeds",
          seeds.size() > 20 ? std::to_string(seeds.size()) + " different" : joined(seeds));
  add_row(table, "versions",
          drawing::escaped("Faultline " + study.faultline +
                           (study.simgrid.empty() ? "" : ", SimGrid " + study.simgrid)));
  add_row(table, "hash of the study", "<code>" + drawing::escaped(study.hash) + "</code>");
  return table;
}

/// The distinct values at a path in words. A study that has grown has its points in no order of
/// their numbers, so these are sorted.
std::vector<std::string> values_at(const std::vector<store::SelectedPoint>& points,
                                   const std::string& path) {
  std::vector<const store::SelectedPoint*> ordered;
  ordered.reserve(points.size());
  for (const store::SelectedPoint& point : points) ordered.push_back(&point);
  if (is_numeric_axis(points, path))
    std::stable_sort(ordered.begin(), ordered.end(),
                     [&](const store::SelectedPoint* a, const store::SelectedPoint* b) {
                       return json::number_of(store::cell_at(*a, path)) <
                              json::number_of(store::cell_at(*b, path));
                     });
  return distinct(ordered,
                  [&](const store::SelectedPoint* point) { return store::words_at(*point, path); });
}

drawing::HtmlTable axes_table(const std::vector<store::SelectedPoint>& points) {
  constexpr std::size_t kMostValues = 40;
  drawing::HtmlTable table{.caption = "What was swept", .columns = {"path", "values"}, .rows = {}};
  for (const std::string& path : store::swept_paths(points)) {
    auto values = values_at(points, path);
    const std::size_t more = values.size() > kMostValues ? values.size() - kMostValues : 0;
    values.resize(values.size() - more);
    std::string text = joined(values, "; ");
    if (more > 0) text += "; and " + std::to_string(more) + " more";
    add_row(table, "<code>" + drawing::escaped(path) + "</code>", drawing::escaped(text));
  }
  return table;
}

/// What the stacks are: the components of their points, but for families of which none has one.
drawing::HtmlTable stacks_table(const std::vector<store::SelectedPoint>& points) {
  drawing::HtmlTable table{.caption = "The stacks", .columns = {"stack", "components"}, .rows = {}};
  const std::vector<std::string> paths = store::swept_paths(points);
  if (std::find(paths.begin(), paths.end(), "stacks") == paths.end()) return table;
  for (const store::PointGroup& group : store::group_points(points, {"stacks"})) {
    if (table.rows.size() == kMostGroups) break;
    std::vector<std::string> components;
    for (const StackPlace& family : kStack) {
      const std::string path = std::string(family.key) + ".name";
      const std::string names = joined(distinct(group.points,
                                                [&](const store::SelectedPoint* point) {
                                                  return store::words_at(*point, path);
                                                }),
                                       " or ");
      if (names != "none" && names != "-") components.push_back(family.key + (": " + names));
    }
    add_row(table, drawing::escaped(store::words_at(*group.points.front(), "stacks")),
            drawing::escaped(joined(components, "; ")));
  }
  return table;
}

/// "termination: cda, initial_credit 64; platform.processes: 16".
std::string swept_words(const store::SelectedPoint& point) {
  std::string words;
  for (const json::JsonMember& parameter : point.stored.parameters)
    words +=
        (words.empty() ? "" : "; ") + parameter.key + ": " + text::value_words(parameter.value);
  return words;
}

drawing::HtmlTable failures_table(const std::vector<store::SelectedPoint>& points) {
  drawing::HtmlTable table{
      .caption = "Points that failed", .columns = {"point", "swept", "reason"}, .rows = {}};
  for (const store::SelectedPoint& point : points)
    if (!point.stored.failure.empty() && table.rows.size() < kMostFailures)
      table.rows.push_back({{std::to_string(point.stored.point), ""},
                            {drawing::escaped(swept_words(point)), "long"},
                            {drawing::escaped(point.stored.failure), "long"}});
  return table;
}

/// How the runs ended, for each line and place at which they ended in more than one way.
drawing::HtmlTable endings_table(const std::vector<store::SelectedPoint>& points,
                                 const Titles& titles) {
  std::set<std::string> words;
  const auto paths = store::swept_paths(points);
  const auto groups = store::group_points(points, paths);
  for (const store::PointGroup& group : groups)
    for (const auto& [word, count] : endings_of(group)) words.insert(word);
  drawing::HtmlTable table{.caption = "How runs ended", .columns = {}, .rows = {}};
  if (words.size() < 2) return table;
  if (groups.size() > kMostGroups)
    table.caption += ", the first " + std::to_string(kMostGroups) + " of " +
                     std::to_string(groups.size()) + " points";
  for (const std::string& path : paths) table.columns.push_back(path_heading(titles, path));
  table.columns.emplace_back("completed");
  table.columns.insert(table.columns.end(), words.begin(), words.end());
  for (const store::PointGroup& group : groups) {
    if (table.rows.size() == kMostGroups) break;
    auto endings = endings_of(group);
    std::vector<drawing::HtmlCell>& row = table.rows.emplace_back();
    for (const std::string& path : paths)
      row.push_back({drawing::escaped(store::words_at(*group.points.front(), path)), ""});
    row.push_back({text::with_interval(store::summarize(group, runs::kCompleted)), "number"});
    for (const std::string& word : words)
      row.push_back({endings.count(word) == 0 ? "" : std::to_string(endings[word]), "number"});
  }
  return table;
}

/// Why the runs of each protocol were fatal, if several protocols are swept. `path` is theirs.
drawing::HtmlTable fatal_table(const std::vector<store::SelectedPoint>& points,
                               const std::string& path, const Titles& titles) {
  drawing::HtmlTable table{.caption = "Why runs were fatal", .columns = {}, .rows = {}};
  if (path.empty() || !has_several_values(points, path)) return table;
  table.columns = {path_heading(titles, path), "reasons"};
  for (const store::PointGroup& group : store::group_points(points, {path})) {
    const std::string reasons = store::fatal_reasons(group);
    if (reasons.empty() || table.rows.size() == kMostGroups) continue;
    table.rows.push_back({{drawing::escaped(store::words_at(*group.points.front(), path)), ""},
                          {drawing::escaped(reasons), "long"}});
  }
  return table;
}

/// The points that no fault has struck, although their scenario draws or reads some.
drawing::HtmlTable spared_table(const std::vector<store::SelectedPoint>& points,
                                const Titles& titles) {
  const auto paths = store::swept_paths(points);
  drawing::HtmlTable table{.caption = "Where no fault struck", .columns = {}, .rows = {}};
  for (const std::string& path : paths) table.columns.push_back(path_heading(titles, path));
  table.columns.emplace_back("drawn or recorded faults");
  for (const store::PointGroup& group : store::group_points(points, paths)) {
    const std::size_t runs = store::spared_runs(group);
    if (runs == 0 || table.rows.size() == kMostGroups) continue;
    std::vector<drawing::HtmlCell>& row = table.rows.emplace_back();
    for (const std::string& path : paths)
      row.push_back({drawing::escaped(store::words_at(*group.points.front(), path)), ""});
    row.push_back({runs::no_fault_struck(runs), "long"});
  }
  return table;
}

/// What all points have in common: the scenario of the first point without the swept values.
std::string common_scenario(const std::vector<store::SelectedPoint>& points) {
  return "<pre tabindex=\"0\"><code>" +
         drawing::escaped(json::to_json(points.front().stored.scenario, 2)) + "</code></pre>\n";
}

}  // namespace

void add_what_was_run(drawing::HtmlPage& page, const StudyReport& report,
                      const std::string& store) {
  const std::vector<store::SelectedPoint>& points = report.points;
  page.table(identity_table(points));
  const drawing::HtmlTable axes = axes_table(points);
  if (!axes.rows.empty()) page.table(axes);
  const drawing::HtmlTable stacks = stacks_table(points);
  if (!stacks.rows.empty()) page.table(stacks);
  const drawing::HtmlTable failures = failures_table(points);
  if (!failures.rows.empty()) page.table(failures);
  const drawing::HtmlTable fatal = fatal_table(points, report.protocol, report.titles);
  if (!fatal.rows.empty()) page.table(fatal);
  const drawing::HtmlTable spared = spared_table(points, report.titles);
  if (!spared.rows.empty()) page.table(spared);
  const drawing::HtmlTable endings = endings_table(points, report.titles);
  if (!endings.rows.empty()) page.folded("How the runs of each point ended", endings);
  page.folded("The whole scenario of point " + std::to_string(points.front().stored.point) +
                  ", defaults filled in",
              common_scenario(points));
  page.paragraph("The study again, and every single run of it:");
  std::vector<std::string> query = {"faultline", "query", store};
  for (const std::string& condition : report.conditions)
    query.insert(query.end(), {"--where", condition});
  page.commands({"faultline sweep SCENARIO.json --store " + text::shell_word(store),
                 text::shell_line(query) + " --runs --format csv"});
}

}  // namespace faultline::report
