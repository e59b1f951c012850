// SPDX-License-Identifier: Apache-2.0
#include "analysis/failures/trace_report.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

namespace {

// ---- JSON --------------------------------------------------------------------------------------

JsonValue number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

JsonValue interval_json(const Interval& interval) {
  return JsonValue::List{interval.low, interval.high};
}

JsonValue parameter_json(const FittedParameter& parameter) {
  return json_object({{"estimate", parameter.estimate},
                      {"confidence_95", interval_json(parameter.confidence_95)}});
}

JsonValue weibull_json(const std::optional<WeibullFit>& fit) {
  if (!fit) return {};
  return json_object({{"shape", parameter_json(fit->shape)},
                      {"scale_s", parameter_json(fit->scale_s)},
                      {"log_likelihood", fit->log_likelihood}});
}

JsonValue lognormal_json(const std::optional<LognormalFit>& fit) {
  if (!fit) return {};
  return json_object({{"mu", parameter_json(fit->mu)},
                      {"sigma", parameter_json(fit->sigma)},
                      {"log_likelihood", fit->log_likelihood}});
}

JsonValue optional_json(const std::optional<double>& value) {
  return value ? JsonValue(*value) : JsonValue();
}

JsonValue values_json(const Summary& summary) {
  return json_object({{"count", number(summary.count)},
                      {"mean_s", optional_json(summary.mean)},
                      {"standard_deviation_s", optional_json(summary.standard_deviation)},
                      {"min_s", optional_json(summary.min)},
                      {"max_s", optional_json(summary.max)}});
}

JsonValue gaps_json(const GapSummary& gaps) {
  JsonValue result = values_json(gaps.gaps_s);
  result.set("simultaneous", number(gaps.simultaneous));
  result.set("weibull", weibull_json(gaps.weibull));
  result.set("lognormal", lognormal_json(gaps.lognormal));
  result.set("exponential_log_likelihood", optional_json(gaps.exponential_log_likelihood));
  return result;
}

JsonValue counts_json(const std::vector<FaultCount>& by_size) {
  JsonValue counts = JsonValue::Object{};
  for (const FaultCount& size : by_size) counts.set(std::to_string(size.failed), size.count);
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

void add_laws(TextTable& table, const std::string& what, const std::optional<WeibullFit>& weibull,
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

TextTable sizes_table(const TraceSummary& summary) {
  TextTable table{.columns = {{"nodes at once"}, {"faults"}, {"percent"}}, .rows = {}};
  table.rows.reserve(summary.by_size.size());
  for (const FaultCount& size : summary.by_size)
    table.rows.push_back(
        {std::to_string(size.failed), std::to_string(size.count),
         fixed(100 * static_cast<double>(size.count) / static_cast<double>(summary.faults), 2)});
  return table;
}

TextTable laws_table(const TraceSummary& summary) {
  TextTable laws{.columns = {{"times", Align::left},
                             {"law", Align::left},
                             {"parameter", Align::left},
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
      wrapped(report.file + " (" + format_word(report.format) +
              "): " + counted(summary.failures, "failure", "failures") + " of " +
              counted(summary.systems.size(), "system", "systems") + " in " +
              digits((summary.last_s - summary.first_s) / 86400) + " days; " +
              counted(report.other_events, "other event", "other events") + ", " +
              counted(report.unreadable.size(), "unreadable line", "unreadable lines")) +
      "\n" + render(sizes_table(summary)) + "\n";
  const TextTable laws = laws_table(summary);
  if (!laws.rows.empty()) text += render(laws) + "\n";
  return text +
         wrapped("Failures within " + shortest(report.window_s) +
                 " s after the first belong to one fault. Times between are fitted without their " +
                 counted(summary.between_failures.simultaneous, "zero", "zeros") + ".");
}

std::string trace_summary_json(const TraceReport& report) {
  const TraceSummary& summary = report.summary;
  JsonValue::List systems;
  systems.reserve(summary.systems.size());
  for (const SystemSummary& system : summary.systems)
    systems.push_back(json_object({{"system", system.system},
                                   {"failures", number(system.failures)},
                                   {"nodes", number(system.nodes)}}));
  JsonValue::List unreadable;
  unreadable.reserve(report.unreadable.size());
  for (const UnreadableLine& line : report.unreadable)
    unreadable.push_back(json_object({{"line", number(line.line)}, {"reason", line.reason}}));
  JsonValue repairs;
  if (summary.repairs_s) {
    repairs = values_json(*summary.repairs_s);
    repairs.set("lognormal", lognormal_json(summary.repair_law));
  }
  const JsonValue json =
      json_object({{"schema_version", 1},
                   {"file", report.file},
                   {"trace_format", format_word(report.format)},
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
  return to_json(json, 2) + "\n";
}

std::string fault_counts_json(const TraceReport& report) {
  const std::string window = shortest(report.window_s);
  return to_json(json_object({{"schema_version", 1},
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
std::pair<std::string, JsonValue> fitted_source(const GapSummary& gaps, const std::string& file) {
  if (!gaps.weibull || !gaps.lognormal)
    throw UsageError(file + ": too few faults at different times to fit a law for --scenario");
  if (gaps.lognormal->log_likelihood > gaps.weibull->log_likelihood)
    return {"lognormal", json_object({{"mu", rounded(gaps.lognormal->mu.estimate)},
                                      {"sigma", rounded(gaps.lognormal->sigma.estimate)}})};
  return {"weibull", json_object({{"shape", rounded(gaps.weibull->shape.estimate)},
                                  {"scale_s", rounded(gaps.weibull->scale_s.estimate)}})};
}

}  // namespace

std::string faults_block_json(const TraceReport& report, const std::string& counts) {
  auto [name, source] = fitted_source(report.summary.between_faults, report.file);
  if (!counts.empty()) source.set("sizes", counts);
  if (const auto& repair = report.summary.repair_law)
    source.set("repair", json_object({{"law", "lognormal"},
                                      {"mu", rounded(repair->mu.estimate)},
                                      {"sigma", rounded(repair->sigma.estimate)}}));
  return to_json(json_object({{"faults", json_object({{name, std::move(source)}})}}), 2) + "\n";
}

}  // namespace faultline
