// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include "analysis/failures/trace_report.hpp"
#include "cli/output_file.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/fault_trace_file.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

struct SummaryRequest {
  std::string file;
  double window_s = 0.0;
  std::optional<std::int64_t> system;
};

SummaryRequest summary_request(const po::variables_map& values) {
  SummaryRequest request{.file = values["file"].as<std::string>(), .window_s = 0, .system = {}};
  const std::string window = values["window"].as<std::string>();
  const char* const end = window.data() + window.size();
  const auto [rest, error] = std::from_chars(window.data(), end, request.window_s);
  if (error != std::errc() || rest != end || !std::isfinite(request.window_s) ||
      request.window_s < 0)
    throw UsageError(
        "faults summarize: --window: expected a number of at least 0 in seconds, got " +
        json::in_quotes(window));
  if (values.count("system") != 0)
    request.system = static_cast<std::int64_t>(whole_number("faults summarize: --system",
                                                            values["system"].as<std::string>(), 0,
                                                            std::uint64_t{1} << 53U));
  return request;
}

/// The file of --counts as the scenario of --scenario names it, or "".
std::string counts_beside(const po::variables_map& values) {
  if (values.count("counts") == 0) return "";
  const auto absolute = [&](const char* option) {
    return std::filesystem::absolute(values[option].as<std::string>());
  };
  return absolute("counts").lexically_relative(absolute("scenario").parent_path()).string();
}

VerbOptions summarize_options() {
  VerbOptions verb{
      .verb = "faults summarize",
      .usage =
          "faults summarize FILE [--window S] [--system N]\n"
          "       [--format table|json] [--counts FILE] [--scenario FILE]",
      .about =
          "Reports how many failures a trace has, how many nodes fail together, and the Weibull "
          "and lognormal laws that fit the times between them, with 95 % intervals. FILE has the "
          "format of LANL, of the Failure Trace Archive or of SimGrid, or is a table with columns "
          "node, down and up; its content shows which."};
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add("window", text("S")->default_value("0"),
      "failures within this many seconds after the first one belong to one fault");
  add("system", text("N"),
      "only this system of the file; unreadable lines of other systems are left out; default: all "
      "systems, each by itself");
  add_format(verb, {"table", "json"});
  add("counts", text("FILE"),
      "also write how many nodes fail together to this file, as a distribution for survival and "
      "for the sizes of fault sources");
  add("scenario", text("FILE"),
      "also write the faults of a scenario that follow the fitted laws to this file: the times "
      "between faults, their repairs, and with --counts their sizes");
  verb.hidden.add_options()("file", po::value<std::string>());
  verb.positional.add("file", 1);
  return verb;
}

int carry_out_summarize(const Call& call) {
  const po::variables_map& values = call.values;
  if (values.count("file") == 0)
    throw UsageError(
        "faults summarize: expected a trace of failures "
        "(see faultline faults summarize --help)");
  const std::string format = values["format"].as<std::string>();
  const SummaryRequest request = summary_request(values);
  const FaultTraceInput input = scenario::read_fault_trace(request.file);
  std::optional<OutputFile> counts;
  if (values.count("counts") != 0) counts.emplace(values["counts"].as<std::string>(), "--counts");
  std::optional<OutputFile> scenario;
  if (values.count("scenario") != 0)
    scenario.emplace(values["scenario"].as<std::string>(), "--scenario");
  const auto content =
      request.system ? std::make_shared<const faults::FaultTrace>(
                           faults::without_unreadable_of_others(*input.content, *request.system))
                     : input.content;
  const faults::FaultTrace& trace = *content;
  if (trace.records.empty())
    throw UsageError(request.file +
                     ": this is a stochastic profile, which has no failures to summarize");
  const auto summary = failures::summarize_trace(trace, request.window_s, request.system);
  if (!summary)
    throw UsageError(request.file + ": has no failure of system " +
                     std::to_string(*request.system));
  for (const std::string& line : faults::describe_unreadable(trace))
    complain(request.file + ": " + line);
  const failures::TraceReport report{.file = request.file,
                                     .window_s = request.window_s,
                                     .format = trace.format,
                                     .other_events = trace.other_events,
                                     .unreadable = trace.unreadable,
                                     .summary = *summary};
  const std::string block =
      scenario ? failures::faults_block_json(report, counts_beside(values)) : "";
  if (scenario && summary->repairs_s && !summary->repair_law)
    complain(request.file + ": the repairs fit no law, because too few of them differ; in " +
             values["scenario"].as<std::string>() + " nothing is repaired");
  if (counts) counts->write(failures::fault_counts_json(report));
  if (scenario) scenario->write(block);
  call.out << (format == "json" ? failures::trace_summary_json(report)
                                : failures::trace_summary_table(report));
  return 0;
}

}  // namespace

Verb faults_summarize_verb() {
  return {.name = "summarize", .options = summarize_options, .run = carry_out_summarize};
}

}  // namespace faultline::cli
