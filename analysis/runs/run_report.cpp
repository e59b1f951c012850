// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/run_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/runs/cut_off.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/run_strata.hpp"
#include "analysis/runs/usual_metrics.hpp"
#include "analysis/statistics/summary.hpp"
#include "analysis/text/summary_text.hpp"
#include "analysis/text/text_table.hpp"
#include "analysis/theory/closed_forms.hpp"
#include "sim/core/version.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::runs {

namespace {

json::JsonValue optional_json(const std::optional<double>& value) {
  return value ? json::JsonValue(*value) : json::JsonValue();
}

/// That share by strata.
statistics::Summary stratified_share(const scenario::Scenario& scenario, const RunTally& tally,
                                     std::size_t point) {
  statistics::StratifiedSample share = tally.points[point].strata.at(kCompleted);
  const scenario::RunSpec& spec = scenario.points[point];
  for (const TroubledReplication& crash : tally.crashes)
    if (crash.point == point && crash.outcome == kOutOfMemory && frame_of(spec).ends_with_program)
      share.add(stratum_of(spec, crash.replication).value(), 0.0);
  return share.summary(statistics::StrataOf::shares);
}

/// The share of a point's replications that completed their program. Those that ran out of memory
/// did not; what those would have done that crashed is not known.
statistics::Summary completed_share(const scenario::Scenario& scenario, const RunTally& tally,
                                    std::size_t number) {
  const PointTally& point = tally.points[number];
  const scenario::RunSpec& spec = scenario.points[number];
  if (point.strata.contains(kCompleted)) return stratified_share(scenario, tally, number);
  std::vector<double> truths(point.completed, 1.0);
  std::size_t uncompleted = point.uncompleted;
  const auto out_of_memory = point.outcomes.find(kOutOfMemory);
  if (out_of_memory != point.outcomes.end() && frame_of(spec).ends_with_program)
    uncompleted += static_cast<std::size_t>(out_of_memory->second);
  truths.resize(truths.size() + uncompleted, 0.0);
  return statistics::summarize_share(truths);
}

/// Statistics of every metric of a point that is a number, and of `completed`, over its
/// replications, by name. Replications in which the metric is null do not count.
std::map<std::string, statistics::Summary> summaries(const scenario::Scenario& scenario,
                                                     const RunTally& tally, std::size_t point) {
  std::map<std::string, statistics::Summary> result;
  const PointTally& of = tally.points[point];
  result[kCompleted] = completed_share(scenario, tally, point);
  for (const auto& [name, values] : of.metrics) {
    const auto strata = of.strata.find(name);
    statistics::Summary& summary = result[name] =
        strata == of.strata.end() ? values.summary() : strata->second.summary(strata_of(name));
    const auto cut_off = of.cut_off.find(name);
    if (cut_off != of.cut_off.end()) mark_cut_off(summary, name, cut_off->second);
  }
  return result;
}

json::JsonValue summary_json(const statistics::Summary& summary) {
  json::JsonValue interval;
  if (summary.confidence_95)
    interval = json::JsonValue::List{summary.confidence_95->low, summary.confidence_95->high};
  return json::json_object({{"count", static_cast<std::int64_t>(summary.count)},
                            {"mean", optional_json(summary.mean)},
                            {"standard_deviation", optional_json(summary.standard_deviation)},
                            {"confidence_interval_95", interval},
                            {"min", optional_json(summary.min)},
                            {"max", optional_json(summary.max)},
                            {"cut_off", static_cast<std::int64_t>(summary.cut_off)},
                            {"bound", bound_json(summary.bound)}});
}

/// Three standard errors of a mean, more for few values; nothing if its spread is not known.
std::optional<double> three_errors(const statistics::Summary& measured) {
  if (!measured.mean || !measured.standard_deviation) return std::nullopt;
  if (!measured.is_stratified)
    return statistics::student_t_three_sigma(measured.count) * *measured.standard_deviation /
           std::sqrt(static_cast<double>(measured.count));
  constexpr double kNormal95 = 1.959964;  // standard errors in half an interval of 95 %
  if (!measured.confidence_95) return std::nullopt;
  return (measured.confidence_95->high - *measured.mean) * 3.0 / kNormal95;
}

/// True if the mean agrees with the closed form, within three standard errors. Null if one
/// replication, a sample without spread, or runs that were cut off leave that open.
json::JsonValue agreement(const theory::ClosedForm& form, const statistics::Summary& measured) {
  if (measured.bound != statistics::MeanBound::exact) return {};
  const std::optional<double> errors = three_errors(measured);
  if (!errors || form.relation == theory::Relation::about) return {};
  const double slack = *errors;
  if (form.relation == theory::Relation::at_least) return *measured.mean + slack >= form.value;
  if (form.relation == theory::Relation::at_most) return *measured.mean - slack <= form.value;
  if (slack == 0.0 && *measured.mean != form.value) return {};
  return std::fabs(*measured.mean - form.value) <= slack;
}

json::JsonValue closed_forms_json(const scenario::RunSpec& spec,
                                  const std::map<std::string, statistics::Summary>& measured) {
  json::JsonValue::List list;
  for (const theory::ClosedForm& form : theory::closed_forms(spec)) {
    const auto found = measured.find(form.metric);
    const statistics::Summary summary =
        found == measured.end() ? statistics::Summary{} : found->second;
    list.push_back(json::json_object(
        {{"metric", form.metric},
         {"formula", form.name},
         {"relation", theory::relation_sign(form.relation)},
         {"value", form.value},
         {"ratio", summary.mean && form.value > 0 ? json::JsonValue(*summary.mean / form.value)
                                                  : json::JsonValue()},
         {"agrees", agreement(form, summary)},
         {"source", form.source}}));
  }
  return list;
}

json::JsonValue point_json(const scenario::Scenario& scenario, const RunTally& tally,
                           std::size_t point) {
  const auto measured = summaries(scenario, tally, point);
  json::JsonValue metrics = json::JsonValue::Object{};
  for (const auto& [name, summary] : measured) metrics.set(name, summary_json(summary));
  return json::json_object({{"point", static_cast<std::int64_t>(point)},
                            {"label", scenario.point_labels[point]},
                            {"metrics", std::move(metrics)},
                            {"closed_forms", closed_forms_json(scenario.points[point], measured)}});
}

std::string outcomes_of(const RunTally& tally, std::size_t point) {
  std::string text;
  for (const auto& [outcome, count] : tally.points[point].outcomes)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + outcome;
  return text.empty() ? "-" : text;
}

/// The outcome that all runs have in common.
std::optional<std::string> common_outcome(const RunTally& tally) {
  std::set<std::string> outcomes;
  for (const PointTally& point : tally.points)
    for (const auto& entry : point.outcomes) outcomes.insert(entry.first);
  return outcomes.size() == 1 ? std::optional(*outcomes.begin()) : std::nullopt;
}

std::string label_of(const scenario::Scenario& scenario, std::size_t point) {
  if (!scenario.point_labels[point].empty()) return scenario.point_labels[point];
  const Registration* detector = scenario.points[point].component(Family::termination).registration;
  const Registration* workload = scenario.points[point].component(Family::workload).registration;
  if (detector != nullptr) return detector->name;
  return workload != nullptr ? workload->name : "run";
}

using PointNames = std::vector<std::string>;  // by point

PointNames labels_of(const scenario::Scenario& scenario) {
  PointNames labels;
  labels.reserve(scenario.points.size());
  for (std::size_t point = 0; point < scenario.points.size(); ++point)
    labels.push_back(label_of(scenario, point));
  return labels;
}

PointNames numbers_of(const scenario::Scenario& scenario) {
  PointNames numbers;
  numbers.reserve(scenario.points.size());
  for (std::size_t point = 0; point < scenario.points.size(); ++point)
    numbers.push_back(std::to_string(point));
  return numbers;
}

/// The lines that explain the numbers of the points.
std::string legend(const PointNames& labels) {
  std::string text;
  for (std::size_t point = 0; point < labels.size(); ++point)
    text += text::wrapped("point " + std::to_string(point) + ": " + labels[point]);
  return text + "\n";
}

/// The share of runs that completed, if it is the same at every point; "" if not, or if there is
/// none.
std::string common_completed_share(const scenario::Scenario& scenario, const RunTally& tally) {
  std::string common;
  for (std::size_t point = 0; point < scenario.points.size(); ++point) {
    const statistics::Summary share = completed_share(scenario, tally, point);
    if (!share.mean) return "";
    const std::string text = text::with_interval(share);
    if (point > 0 && text != common) return "";
    common = text;
  }
  return common;
}

std::string heading(const scenario::Scenario& scenario, const RunTally& tally) {
  const scenario::PlatformSpec& platform = scenario.points.front().platform;
  std::string text =
      std::to_string(platform.processes) + " processes on " +
      shortened(platform.xml_path.empty() ? platform.machine.name : platform.xml_path) +
      ", engine " + scenario::word_of(scenario.engine) + ", seed " + std::to_string(scenario.seed) +
      ", ";
  const std::size_t runs = tally.replications;
  const std::size_t planned = tally.end.planned;
  if (runs != planned) text += std::to_string(runs) + " of ";
  text += std::to_string(planned) + (planned == 1 ? " run" : " runs");
  if (const auto outcome = common_outcome(tally)) text += (runs == 1 ? ": " : ": all ") + *outcome;
  if (scenario.replications > 1) text += "; 95% intervals";
  const bool by_strata = std::any_of(tally.points.begin(), tally.points.end(),
                                     [](const PointTally& of) { return !of.strata.empty(); });
  if (by_strata) text += "; means weighted by the sizes of faults";
  const std::string share =
      scenario.replications > 1 ? common_completed_share(scenario, tally) : std::string();
  const char* const of = scenario.points.size() == 1 ? "completed: " : "completed at each point: ";
  return text::wrapped(shortened(scenario.name.empty() ? scenario.file : scenario.name)) +
         text::wrapped(text) + (share.empty() ? "" : text::wrapped(of + share)) + "\n";
}

/// Adds a column with the metric of every point. Adds nothing if that would tell nothing.
void add_metric(const std::string& metric,
                const std::vector<std::map<std::string, statistics::Summary>>& measured,
                text::TextTable& table) {
  std::optional<double> largest;
  for (const auto& point : measured) {
    const auto found = point.find(metric);
    if (found == point.end() || !found->second.mean) continue;
    largest = std::max(largest.value_or(0.0), std::fabs(*found->second.mean));
  }
  if (!largest || !tells_something(metric, *largest)) return;
  const text::TimeUnit unit = text::unit_of(statistics::metric_type(metric), *largest);
  table.columns.push_back({text::column_title(metric, unit)});
  for (std::size_t point = 0; point < measured.size(); ++point) {
    const auto found = measured[point].find(metric);
    table.rows[point].push_back(
        found == measured[point].end() ? "-" : text::with_interval(found->second, unit.in_one_s));
  }
}

text::TextTable measured_table(const scenario::Scenario& scenario, const RunTally& tally,
                               const PointNames& names) {
  const bool with_outcome = !common_outcome(tally);
  text::TextTable table;
  table.columns = {{"point", text::Align::left}};
  if (with_outcome) table.columns.push_back({"outcome", text::Align::left});
  std::vector<std::map<std::string, statistics::Summary>> measured;
  std::vector<StackText> stacks;
  measured.reserve(names.size());
  stacks.reserve(names.size());
  for (std::size_t point = 0; point < names.size(); ++point) {
    measured.push_back(summaries(scenario, tally, point));
    stacks.push_back(stack_text(scenario.points[point]));
    table.rows.push_back({names[point]});
    if (with_outcome) table.rows.back().push_back(outcomes_of(tally, point));
  }
  if (scenario.replications > 1 && common_completed_share(scenario, tally).empty())
    add_metric(kCompleted, measured, table);
  for (const std::string& metric : usual_metrics(families_that_matter(stacks)))
    add_metric(metric, measured, table);
  return table;
}

/// The lines that tell why runs were fatal, point by point.
std::string fatal_reasons(const RunTally& tally, const PointNames& labels) {
  std::string text;
  for (std::size_t point = 0; point < labels.size(); ++point) {
    const std::string reasons = tally.points[point].fatal_reasons.text();
    if (reasons.empty()) continue;
    text += text::wrapped(labels[point] + ": " + reasons);
  }
  return text.empty() ? text : "\n" + text;
}

/// The lines that name the points whose drawn or recorded faults never struck: such a point tells
/// nothing about its protocols under faults.
std::string spared_points(const scenario::Scenario& scenario, const RunTally& tally,
                          const PointNames& labels) {
  std::string text;
  for (std::size_t point = 0; point < labels.size(); ++point) {
    const auto& metrics = tally.points[point].metrics;
    const auto struck = metrics.find("faults_struck");
    if (!scenario.points[point].has_fatal_sources() || struck == metrics.end()) continue;
    const statistics::Summary summary = struck->second.summary();
    if (summary.max == 0.0)
      text += text::wrapped(labels[point] + ": " + no_fault_struck(summary.count));
  }
  return text.empty() ? text : "\n" + text;
}

std::string cut_off_text(const RunTally& tally) {
  const std::string note = cut_off_note(tally.runs);
  return note.empty() ? note : "\n" + text::wrapped(note);
}

std::string agreement_word(const json::JsonValue& agrees, theory::Relation relation,
                           statistics::MeanBound bound) {
  if (bound != statistics::MeanBound::exact) return "cut off";
  if (agrees.is_null()) return relation == theory::Relation::about ? "" : "?";
  return std::get<bool>(agrees.data) ? "yes" : "NO";
}

text::TextTable closed_form_table(const scenario::Scenario& scenario, const RunTally& tally,
                                  const PointNames& names) {
  text::TextTable table;
  table.columns = {{"point", text::Align::left},
                   {"theory", text::Align::left},
                   {"value"},
                   {"measured"},
                   {"ratio"},
                   {"holds", text::Align::left}};
  table.key_columns = 2;
  for (std::size_t point = 0; point < scenario.points.size(); ++point) {
    const auto measured = summaries(scenario, tally, point);
    for (const theory::ClosedForm& form : theory::closed_forms(scenario.points[point])) {
      const auto found = measured.find(form.metric);
      if (found == measured.end() || form.metric != "control_messages" || !found->second.mean)
        continue;
      const statistics::Summary& of = found->second;
      table.rows.push_back(
          {names[point], std::string(theory::relation_sign(form.relation)) + " " + form.name,
           text::compact(form.value), text::marked(text::compact(*of.mean), of.bound),
           text::marked(text::fixed(*of.mean / form.value, 3), of.bound),
           agreement_word(agreement(form, of), form.relation, of.bound)});
    }
  }
  return table;
}

std::string closed_forms_text(const text::TextTable& table, const std::string& legend,
                              std::size_t width) {
  if (table.rows.empty()) return {};
  const bool unsure = std::any_of(table.rows.begin(), table.rows.end(),
                                  [](const auto& row) { return row.back() == "?"; });
  return "\nControl messages against theory (P processes, stop probability q):\n\n" + legend +
         text::render(table, width) + (unsure ? "?: more replications are needed to tell\n" : "");
}

/// True if the table, as one block, is at most this wide.
bool fits(const text::TextTable& table, std::size_t width) {
  const std::string text = text::render(table, std::numeric_limits<std::size_t>::max());
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    if (end - begin > width) return false;
    begin = end + 1;
  }
  return true;
}

std::string trouble(const scenario::Scenario& scenario, const RunTally& tally) {
  std::string text;
  for (const TroubledReplication& replication : tally.first_troubles)
    text += text::wrapped(label_of(scenario, replication.point) + ", replication " +
                          std::to_string(replication.replication) + ": " + replication.what);
  const std::size_t more = tally.troubles - tally.first_troubles.size();
  if (more > 0) text += "and " + std::to_string(more) + " more\n";
  return text.empty() ? text : "\n" + text;
}

json::JsonValue run_of(const std::string& line) {
  json::Problems problems("a run");
  return json::parse_json(line, problems);
}

std::string indented(const std::string& text, const std::string& margin) {
  std::string result = margin;
  for (const char letter : text) {
    result += letter;
    if (letter == '\n') result += margin;
  }
  return result;
}

/// The report without its runs.
json::JsonValue head_json(const scenario::Scenario& scenario, const RunTally& tally) {
  const std::string simgrid = engine::simgrid_version();
  return json::json_object(
      {{"schema_version", 1},
       {"scenario", json::json_object({{"name", scenario.name}, {"hash", scenario.hash}})},
       {"versions", json::json_object({{"faultline", std::string(version())},
                                       {"simgrid", simgrid.empty() ? json::JsonValue()
                                                                   : json::JsonValue(simgrid)}})},
       {"complete", tally.replications == tally.end.planned && tally.crashes.empty()}});
}

json::JsonValue tail_json(const scenario::Scenario& scenario, const RunTally& tally) {
  json::JsonValue::List failed;
  for (const TroubledReplication& crash : tally.crashes)
    failed.push_back(
        json::json_object({{"point", static_cast<std::int64_t>(crash.point)},
                           {"replication", static_cast<std::int64_t>(crash.replication)},
                           {"outcome", crash.outcome},
                           {"error", crash.what}}));
  json::JsonValue::List summary;
  for (std::size_t point = 0; point < scenario.points.size(); ++point)
    summary.push_back(point_json(scenario, tally, point));
  return json::json_object({{"failed_runs", std::move(failed)}, {"summary", std::move(summary)}});
}

}  // namespace

void write_run_report_json(const scenario::Scenario& scenario, const RunTally& tally,
                           const LineSpool& runs, const WriteText& write) {
  const std::string head = json::to_json(head_json(scenario, tally), 2);
  const std::string tail = json::to_json(tail_json(scenario, tally), 2);
  write(head.substr(0, head.size() - 2) + ",\n  \"runs\": [");
  std::string between = "\n";
  runs.for_each([&](const std::string& line) {
    write(between + indented(json::to_json(run_of(line), 2), "    "));
    between = ",\n";
  });
  write((between == "\n" ? "]," : "\n  ],") + tail.substr(1) + "\n");
}

void write_run_report_csv(const scenario::Scenario& scenario, const RunTally& tally,
                          const LineSpool& runs, const WriteText& write) {
  std::vector<std::string> header = {"point", "label", "seed", "replication", "engine", "outcome"};
  header.insert(header.end(), tally.metrics.begin(), tally.metrics.end());
  header.insert(header.end(), {"violations", "events", "wall_s", "peak_rss_bytes"});
  write(text::csv_record(header));
  runs.for_each([&](const std::string& line) {
    const ReplicationRecord record = read_replication_line(line);
    const RunRecord& run = *record.run;
    std::vector<std::string> row = {
        std::to_string(record.point),       scenario.point_labels[record.point],
        std::to_string(scenario.seed),      std::to_string(record.replication),
        scenario::word_of(scenario.engine), engine::outcome_word(run.outcome)};
    for (const std::string& name : tally.metrics) row.push_back(text::csv_field(run.cell(name)));
    row.push_back(std::to_string(run.violations.size()));
    for (const json::JsonValue& value : {json::JsonValue(run.events), json::JsonValue(run.wall_s),
                                         json::JsonValue(run.peak_rss_bytes)})
      row.push_back(text::csv_field(value));
    write(text::csv_record(row));
  });
}

std::string run_report_table(const scenario::Scenario& scenario, const RunTally& tally,
                             std::size_t width) {
  const PointNames labels = labels_of(scenario);
  const bool long_one = std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
    return label.size() > width / 4;
  });
  text::TextTable measured = measured_table(scenario, tally, labels);
  text::TextTable theory = closed_form_table(scenario, tally, labels);
  const bool numbered = long_one && !fits(measured, width);
  const bool theory_numbered = long_one && (numbered || !fits(theory, width));
  if (numbered) measured = measured_table(scenario, tally, numbers_of(scenario));
  if (theory_numbered) theory = closed_form_table(scenario, tally, numbers_of(scenario));
  return heading(scenario, tally) + (numbered ? legend(labels) : "") +
         text::render(measured, width) + fatal_reasons(tally, labels) +
         spared_points(scenario, tally, labels) + cut_off_text(tally) +
         closed_forms_text(theory, theory_numbered && !numbered ? legend(labels) : "", width) +
         trouble(scenario, tally);
}

}  // namespace faultline::runs
