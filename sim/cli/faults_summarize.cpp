#include "sim/cli/faults_summarize.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "analysis/failures/trace_summary.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/fault_trace_file.hpp"

namespace faultline {

namespace {

namespace po = boost::program_options;

struct Request {
  std::string file;
  double window_s = 0.0;
  std::optional<std::int64_t> system;
};

Request request_of(const po::variables_map& values) {
  Request request{.file = values["file"].as<std::string>(), .window_s = 0, .system = {}};
  const std::string window = values["window"].as<std::string>();
  const char* const end = window.data() + window.size();
  const auto [rest, error] = std::from_chars(window.data(), end, request.window_s);
  if (error != std::errc() || rest != end || !std::isfinite(request.window_s) ||
      request.window_s < 0)
    throw UsageError(
        "faults summarize: --window: expected a number of at least 0 in seconds, got " +
        in_quotes(window));
  if (values.count("system") != 0)
    request.system = static_cast<std::int64_t>(whole_number("faults summarize: --system",
                                                            values["system"].as<std::string>(), 0,
                                                            std::uint64_t{1} << 53U));
  return request;
}

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

JsonValue summary_json(const Request& request, const FaultTrace& trace,
                       const TraceSummary& summary) {
  JsonValue::List systems;
  systems.reserve(summary.systems.size());
  for (const SystemSummary& system : summary.systems)
    systems.push_back(json_object({{"system", system.system},
                                   {"failures", number(system.failures)},
                                   {"nodes", number(system.nodes)}}));
  JsonValue::List unreadable;
  unreadable.reserve(trace.unreadable.size());
  for (const UnreadableLine& line : trace.unreadable)
    unreadable.push_back(json_object({{"line", number(line.line)}, {"reason", line.reason}}));
  JsonValue repairs;
  if (summary.repairs_s) {
    repairs = values_json(*summary.repairs_s);
    repairs.set("lognormal", lognormal_json(summary.repair_law));
  }
  return json_object({{"schema_version", 1},
                      {"file", request.file},
                      {"trace_format", format_word(trace.format)},
                      {"failures", number(summary.failures)},
                      {"unreadable_lines", number(trace.unreadable.size())},
                      {"other_events", number(trace.other_events)},
                      {"systems", std::move(systems)},
                      {"span_s", summary.last_s - summary.first_s},
                      {"window_s", request.window_s},
                      {"faults", number(summary.faults)},
                      {"counts", counts_json(summary.by_size)},
                      {"between_failures", gaps_json(summary.between_failures)},
                      {"between_failures_of_node", gaps_json(summary.between_failures_of_node)},
                      {"repairs", std::move(repairs)},
                      {"unreadable", std::move(unreadable)}});
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

void write_table(const Request& request, const FaultTrace& trace, const TraceSummary& summary,
                 std::ostream& out) {
  out << wrapped(request.file + " (" + format_word(trace.format) +
                 "): " + counted(summary.failures, "failure", "failures") + " of " +
                 counted(summary.systems.size(), "system", "systems") + " in " +
                 digits((summary.last_s - summary.first_s) / 86400) + " days; " +
                 counted(trace.other_events, "other event", "other events") + ", " +
                 counted(trace.unreadable.size(), "unreadable line", "unreadable lines"))
      << '\n'
      << render(sizes_table(summary)) << '\n';
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
  if (!laws.rows.empty()) out << render(laws) << '\n';
  out << wrapped("Failures within " + shortest(request.window_s) +
                 " s after the first belong to one fault. Times between are fitted without their " +
                 counted(summary.between_failures.simultaneous, "zero", "zeros") + ".");
}

std::string counts_file_text(const Request& request, const TraceSummary& summary) {
  const std::string window = shortest(request.window_s);
  return to_json(json_object({{"schema_version", 1},
                              {"name", request.file},
                              {"description", "Nodes that failed within " + window +
                                                  " s after the first of a fault"},
                              {"counts", counts_json(summary.by_size)}}),
                 2) +
         "\n";
}

}  // namespace

VerbOptions summarize_options() {
  VerbOptions verb{
      .verb = "faults summarize",
      .usage =
          "faults summarize FILE [--window S] [--system N]\n"
          "       [--format table|json] [--counts FILE]",
      .about =
          "Reports how many failures a trace has, how many nodes fail together, and the Weibull "
          "and lognormal laws that fit the times between them, with 95 % intervals. The format of "
          "FILE (LANL, Failure Trace Archive or SimGrid) is recognized by its content."};
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add("window", text("S")->default_value("0"),
      "failures within this many seconds after the first one belong to one fault");
  add("system", text("N"),
      "only this system of the file, and of the unreadable lines none that is of another; default: "
      "all, each by itself");
  add_format(verb, {"table", "json"});
  add("counts", text("FILE"),
      "also write to this file how many nodes fail together, as a distribution for survival and "
      "for the sizes of fault sources");
  verb.hidden.add_options()("file", po::value<std::string>());
  verb.positional.add("file", 1);
  return verb;
}

int faults_summarize(const std::vector<std::string>& arguments, std::ostream& out) {
  const VerbOptions verb = summarize_options();
  const po::variables_map values = parse_options(verb, arguments);
  if (values.count("help") != 0) {
    out << help_text(verb);
    return 0;
  }
  if (values.count("file") == 0)
    throw UsageError(
        "faults summarize: expected a trace of failures "
        "(see faultline faults summarize --help)");
  const std::string format = values["format"].as<std::string>();
  const Request request = request_of(values);
  const FaultTraceInput input = read_fault_trace(request.file);
  std::optional<OutputFile> counts;
  if (values.count("counts") != 0) counts.emplace(values["counts"].as<std::string>(), "--counts");
  const auto content = request.system
                           ? std::make_shared<const FaultTrace>(
                                 without_unreadable_of_others(*input.content, *request.system))
                           : input.content;
  const FaultTrace& trace = *content;
  if (trace.records.empty())
    throw UsageError(request.file + ": is a stochastic profile and has no failures to summarize");
  const auto summary = summarize_trace(trace, request.window_s, request.system);
  if (!summary)
    throw UsageError(request.file + ": has no failure of system " +
                     std::to_string(*request.system));
  for (const std::string& line : describe_unreadable(trace)) complain(request.file + ": " + line);
  if (counts) counts->write(counts_file_text(request, *summary));
  if (format == "json")
    out << to_json(summary_json(request, trace, *summary), 2) << '\n';
  else
    write_table(request, trace, *summary, out);
  return 0;
}

}  // namespace faultline
