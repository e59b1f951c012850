// SPDX-License-Identifier: Apache-2.0
#include "analysis/failures/trace_report.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline::failures {

namespace {

// ---- JSON --------------------------------------------------------------------------------------

json::JsonValue number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

json::JsonValue interval_json(const statistics::Interval& interval) {
  return json::JsonValue::List{interval.low, interval.high};
}

json::JsonValue parameter_json(const FittedParameter& parameter) {
  return json::json_object({{"estimate", parameter.estimate},
                            {"confidence_95", interval_json(parameter.confidence_95)}});
}

json::JsonValue weibull_json(const std::optional<WeibullFit>& fit) {
  if (!fit) return {};
  return json::json_object({{"shape", parameter_json(fit->shape)},
                            {"scale_s", parameter_json(fit->scale_s)},
                            {"log_likelihood", fit->log_likelihood}});
}

json::JsonValue lognormal_json(const std::optional<LognormalFit>& fit) {
  if (!fit) return {};
  return json::json_object({{"mu", parameter_json(fit->mu)},
                            {"sigma", parameter_json(fit->sigma)},
                            {"log_likelihood", fit->log_likelihood}});
}

json::JsonValue optional_json(const std::optional<double>& value) {
  return value ? json::JsonValue(*value) : json::JsonValue();
}

json::JsonValue values_json(const statistics::Summary& summary) {
  return json::json_object({{"count", number(summary.count)},
                            {"mean_s", optional_json(summary.mean)},
                            {"standard_deviation_s", optional_json(summary.standard_deviation)},
                            {"min_s", optional_json(summary.min)},
                            {"max_s", optional_json(summary.max)}});
}

json::JsonValue gaps_json(const GapSummary& gaps) {
  json::JsonValue result = values_json(gaps.gaps_s);
  result.set("simultaneous", number(gaps.simultaneous));
  result.set("weibull", weibull_json(gaps.weibull));
  result.set("lognormal", lognormal_json(gaps.lognormal));
  result.set("exponential_log_likelihood", optional_json(gaps.exponential_log_likelihood));
  return result;
}

json::JsonValue counts_json(const std::vector<faults::FaultCount>& by_size) {
  json::JsonValue counts = json::JsonValue::Object{};
  for (const faults::FaultCount& size : by_size)
    counts.set(std::to_string(size.failed), size.count);
  return counts;
}

// ---- table -------------------------------------------------------------------------------------

std::string digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::vector<std::string> parameter_line(const std::string& what, const std::string& law,
                                        const std::string& name, const FittedParameter& fitted) {
  return {what, law, name, digits(fitted.estimate),
          digits(fitted.confidence_95.low) + " to " + digits(fitted.confidence_95.high)};
}

void add_laws(text::TextTable& table, const std::string& what,
              const std::optional<WeibullFit>& weibull,
              const std::optional<LognormalFit>& lognormal) {
  if (weibull) {
    table.rows.push_back(parameter_line(what, "Weibull", "shape", weibull->shape));
    table.rows.push_back(parameter_line(what, "Weibull", "scale, s", weibull->scale_s));
  }
  if (lognormal) {
    table.rows.push_back(parameter_line(what, "lognormal", "mu, ln s", lognormal->mu));
    table.rows.push_back(parameter_line(what, "lognormal", "sigma", lognormal->sigma));
  }
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}

text::TextTable sizes_table(const TraceSummary& summary) {
  text::TextTable table{.columns = {{"nodes at once"}, {"faults"}, {"percent"}}, .rows = {}};
  table.rows.reserve(summary.by_size.size());
  for (const faults::FaultCount& size : summary.by_size)
    table.rows.push_back(
        {std::to_string(size.failed), std::to_string(size.count),
         text::fixed(100 * static_cast<double>(size.count) / static_cast<double>(summary.faults),
                     2)});
  return table;
}

text::TextTable laws_table(const TraceSummary& summary) {
  text::TextTable laws{.columns = {{"times", text::Align::left},
                                   {"law", text::Align::left},
                                   {"parameter", text::Align::left},
                                   {"estimate"},
                                   {"95 % interval"}},
                       .rows = {}};
  add_laws(laws, "between failures", summary.between_failures.weibull,
           summary.between_failures.lognormal);
  add_laws(laws, "between those of a node", summary.between_failures_of_node.weibull,
           summary.between_failures_of_node.lognormal);
  add_laws(laws, "until repaired", {}, summary.repair_law);
  return laws;
}

}  // namespace

std::string trace_summary_table(const TraceReport& report) {
  const TraceSummary& summary = report.summary;
  std::string text =
      text::wrapped(report.file + " (" + faults::format_word(report.format) +
                    "): " + counted(summary.failures, "failure", "failures") + " of " +
                    counted(summary.systems.size(), "system", "systems") + " in " +
                    digits((summary.last_s - summary.first_s) / 86400) + " days; " +
                    counted(report.other_events, "other event", "other events") + ", " +
                    counted(report.unreadable.size(), "unreadable line", "unreadable lines")) +
      "\n" + text::render(sizes_table(summary)) + "\n";
  const text::TextTable laws = laws_table(summary);
  if (!laws.rows.empty()) text += text::render(laws) + "\n";
  return text +
         text::wrapped(
             "Failures within " + json::shortest(report.window_s) +
             " s after the first belong to one fault. Times between are fitted without their " +
             counted(summary.between_failures.simultaneous, "zero", "zeros") + ".");
}

std::string trace_summary_json(const TraceReport& report) {
  const TraceSummary& summary = report.summary;
  json::JsonValue::List systems;
  systems.reserve(summary.systems.size());
  for (const SystemSummary& system : summary.systems)
    systems.push_back(json::json_object({{"system", system.system},
                                         {"failures", number(system.failures)},
                                         {"nodes", number(system.nodes)}}));
  json::JsonValue::List unreadable;
  unreadable.reserve(report.unreadable.size());
  for (const faults::UnreadableLine& line : report.unreadable)
    unreadable.push_back(json::json_object({{"line", number(line.line)}, {"reason", line.reason}}));
  json::JsonValue repairs;
  if (summary.repairs_s) {
    repairs = values_json(*summary.repairs_s);
    repairs.set("lognormal", lognormal_json(summary.repair_law));
  }
  const json::JsonValue json =
      json::json_object({{"schema_version", 1},
                         {"file", report.file},
                         {"trace_format", faults::format_word(report.format)},
                         {"failures", number(summary.failures)},
                         {"unreadable_lines", number(report.unreadable.size())},
                         {"other_events", number(report.other_events)},
                         {"systems", std::move(systems)},
                         {"span_s", summary.last_s - summary.first_s},
                         {"window_s", report.window_s},
                         {"faults", number(summary.faults)},
                         {"counts", counts_json(summary.by_size)},
                         {"between_failures", gaps_json(summary.between_failures)},
                         {"between_failures_of_node", gaps_json(summary.between_failures_of_node)},
                         {"repairs", std::move(repairs)},
                         {"unreadable", std::move(unreadable)}});
  return json::to_json(json, 2) + "\n";
}

std::string fault_counts_json(const TraceReport& report) {
  const std::string window = json::shortest(report.window_s);
  return json::to_json(json::json_object({{"schema_version", 1},
                                          {"name", report.file},
                                          {"description", "Nodes that failed within " + window +
                                                              " s after the first of a fault"},
                                          {"counts", counts_json(report.summary.by_size)}}),
                       2) +
         "\n";
}

namespace {

/// A fitted value to as many digits as say something, so that people can read it.
double rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", value);
  return std::strtod(text.data(), nullptr);
}

/// The source whose law fits best: with two parameters each, the one of larger likelihood.
std::pair<std::string, json::JsonValue> fitted_source(const GapSummary& gaps,
                                                      const std::string& file) {
  if (!gaps.weibull || !gaps.lognormal)
    throw UsageError(file + ": too few faults at different times to fit a law for --scenario");
  if (gaps.lognormal->log_likelihood > gaps.weibull->log_likelihood)
    return {"lognormal", json::json_object({{"mu", rounded(gaps.lognormal->mu.estimate)},
                                            {"sigma", rounded(gaps.lognormal->sigma.estimate)}})};
  return {"weibull", json::json_object({{"shape", rounded(gaps.weibull->shape.estimate)},
                                        {"scale_s", rounded(gaps.weibull->scale_s.estimate)}})};
}

/// A law can be fitted to times that no scenario takes.
void refuse_beyond_range(const std::string& name, const json::JsonValue& source,
                         const std::string& file) {
  json::Problems problems(file);
  json::CheckedObject object(source, "--scenario: " + name, problems);
  static_cast<void>(object.options(faults::find_fault_source(name)->options));
  problems.throw_if_any();
}

}  // namespace

std::string faults_block_json(const TraceReport& report, const std::string& counts) {
  auto [name, source] = fitted_source(report.summary.between_faults, report.file);
  json::JsonValue repair;
  if (const auto& law = report.summary.repair_law)
    repair = json::json_object({{"law", "lognormal"},
                                {"mu", rounded(law->mu.estimate)},
                                {"sigma", rounded(law->sigma.estimate)}});
  json::JsonValue laws = source;
  laws.set("repair", repair);
  refuse_beyond_range(name, laws, report.file);
  if (!counts.empty()) source.set("sizes", counts);
  if (!repair.is_null()) source.set("repair", repair);
  return json::to_json(
             json::json_object({{"faults", json::json_object({{name, std::move(source)}})}}), 2) +
         "\n";
}

}  // namespace faultline::failures
