// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "analysis/lemmas/needless_fatal.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/runs/worker_process.hpp"
#include "analysis/traces/paje_trace.hpp"
#include "analysis/traces/perfetto_trace.hpp"
#include "analysis/traces/run_trace.hpp"
#include "analysis/traces/space_time_page.hpp"
#include "cli/output_file.hpp"
#include "cli/scenario_options.hpp"
#include "sim/core/error.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

struct TraceRequest {
  std::optional<std::string> out;
  std::string format;
  std::uint64_t replication = 0;
  std::uint64_t limit_events = 0;
  std::vector<std::string> without;  ///< names of kinds of messages
};

std::vector<std::string> trace_formats() { return {"perfetto", "paje", "html"}; }

std::string format_of(const po::variables_map& values) {
  const std::vector<std::string> formats = trace_formats();
  if (values.count("format") != 0) return values["format"].as<std::string>();
  if (values.count("out") == 0)
    throw UsageError("trace: expected --out FILE, or --format " + json::any_of(formats) +
                     " for standard output");
  const std::string out = values["out"].as<std::string>();
  if (out.ends_with(".json")) return "perfetto";
  if (out.ends_with(".paje") || out.ends_with(".trace")) return "paje";
  if (out.ends_with(".html")) return "html";
  throw UsageError("trace: --out " + out +
                   ": expected a name that ends in .json, .paje, .trace or .html, or --format " +
                   json::any_of(formats) + " with it");
}

TraceRequest trace_request(const po::variables_map& values) {
  const auto number = [&](const char* option, std::uint64_t low, std::uint64_t high) {
    return whole_number("trace: --" + std::string(option), values[option].as<std::string>(), low,
                        high);
  };
  TraceRequest request;
  request.format = format_of(values);
  request.out = text_of(values, "out");
  request.replication = number("replication", 0, 1000000);
  request.limit_events = number("limit-events", 1, 100000000);
  request.without = listed_words_of(values, "without");
  return request;
}

/// The number of the point that the user asked for. If there is none, throws UsageError, which
/// names the points that exist.
std::size_t point_of(const po::variables_map& values, const scenario::Study& study) {
  constexpr std::size_t kNamed = 20;
  const auto point =
      whole_number("trace: --point", values["point"].as<std::string>(), 0, std::uint64_t{1} << 53U);
  const std::size_t points = study.points.size();
  if (point < points) return point;
  std::string text = "trace: --point: expected 0";
  if (points > 1) text += " to " + std::to_string(points - 1);
  text += ", got " + std::to_string(point);
  for (std::size_t i = 0; i < std::min(points, kNamed) && points > 1; ++i)
    text += "\n  " + std::to_string(i) + ": " + scenario::point_label(study, i);
  throw UsageError(text);
}

/// Shows one run to two observers.
class BothObservers final : public audit::RunObserver {
 public:
  BothObservers(audit::RunObserver& first, audit::RunObserver& second)
      : first_(first), second_(second) {}
  void see(const audit::Sight& sight) override {
    first_.see(sight);
    second_.see(sight);
  }

 private:
  audit::RunObserver& first_;
  audit::RunObserver& second_;
};

traces::RunTrace traced(const scenario::RunSpec& spec, const scenario::Scenario& scenario,
                        const TraceRequest& request) {
  traces::TraceRecorder recorder(spec.platform.processes,
                                 traces::kinds_named(spec, request.without));
  lemmas::FactLog log(spec.platform.processes);
  BothObservers both(recorder, log);
  const bool may_be_judged = spec.has_faults() && lemmas::gives_up_by_messages(spec);
  audit::RunObserver& observer = may_be_judged ? static_cast<audit::RunObserver&>(both) : recorder;
  engine::RunResult result =
      engine::run_simulation(spec, scenario.engine, scenario.seed, request.replication, &observer);
  if (may_be_judged && spec.order) {
    lemmas::judge_both_ways(spec, log, result);
  } else if (may_be_judged && lemmas::detector_gave_up(result)) {
    log.keep_only(result.fatal_actor);
    lemmas::judge_giving_up(spec, log, result);
  }
  return recorder.finish(std::move(result));
}

std::string trace_text(const std::string& format, const traces::RunTrace& trace,
                       const scenario::RunSpec& spec, const traces::TraceTitle& title) {
  if (format == "html") return traces::space_time_page(trace, spec, title);
  return format == "paje" ? traces::paje_text(trace, spec, title)
                          : traces::perfetto_text(trace, spec, title);
}

/// The names of what the user does not want to see, each once. Throws UsageError if the run has no
/// messages of that name.
std::string left_out_of(const TraceRequest& request, const scenario::RunSpec& spec) {
  const std::vector<std::string> names = traces::kind_names(spec);
  std::string text;
  for (const std::string& name : request.without) one_of("trace: --without", name, names);
  for (const std::string& name : std::set(request.without.begin(), request.without.end()))
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string counted(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string summary(const traces::RunTrace& trace, const std::string& left_out) {
  std::size_t control = 0;
  std::size_t detection = 0;
  std::size_t lost = 0;
  std::size_t deaths = 0;
  for (const traces::TracedMessage& message : trace.messages) {
    if (message.family == Family::failure_detection)
      ++detection;
    else if (message.family != Family::workload)
      ++control;
    if (message.fate != traces::Fate::handled && message.fate != traces::Fate::under_way) ++lost;
  }
  for (const traces::TracedMoment& moment : trace.moments)
    if (moment.kind == audit::Sight::Kind::died && moment.actor < trace.processes) ++deaths;
  std::string text = std::to_string(trace.processes) +
                     (trace.processes == 1 ? " process, " : " processes, ") +
                     counted(trace.messages.size() - control - detection, "application message") +
                     ", " + counted(control, "control message");
  if (detection > 0) text += ", " + counted(detection, "detection message");
  if (!left_out.empty()) text += ", without " + left_out;
  if (lost > 0) text += ", " + std::to_string(lost) + " lost";
  if (deaths > 0) text += ", " + counted(deaths, "death");
  char end[64];
  std::snprintf(end, sizeof end, " after %.6g s", trace.end_s);
  return text + ": " + engine::outcome_word(trace.result.outcome) + end;
}

/// What the simulating process returns to its parent: "L" if the run was too long; else the exit
/// code, the summary and the violations, an empty line, and the trace.
std::string simulated_text(const scenario::Scenario& scenario, const traces::TraceTitle& title,
                           const TraceRequest& request) {
  scenario::RunSpec spec = scenario.points.at(0);
  const bool limited = request.limit_events < spec.stop.events;
  spec.stop.events = std::min(spec.stop.events, request.limit_events);
  const traces::RunTrace trace = traced(spec, scenario, request);
  if (limited && trace.result.events >= request.limit_events) return "L";
  const runs::ExitCode code =
      runs::exit_code(trace.result.outcome, !trace.result.violations.empty());
  std::string text = std::to_string(code) + "\n" + summary(trace, title.left_out) + "\n";
  for (const audit::Violation& violation : trace.result.violations)
    text += "violation: " + violation.kind + ": " + violation.detail + "\n";
  text += "\n" + trace_text(request.format, trace, spec, title);
  text.pop_back();  // the worker adds a line break
  return text;
}

VerbOptions trace_options() {
  VerbOptions verb{.verb = "trace",
                   .usage =
                       "trace FILE --out FILE [--format perfetto|paje|html]\n"
                       "       [--without KIND[,KIND]]... [--point N] [--replication N]\n"
                       "       [--limit-events N]\n"
                       "       [--set PATH=VALUE]... [--seed N] [--engine loggp|simgrid]",
                   .about =
                       "Simulates one run of a scenario and writes what happened in it: for "
                       "Perfetto (.json), for Paje (.paje, .trace), or as a page with a space-time "
                       "diagram (.html).\n"};
  add_scenario_options(verb);
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add_out(verb);
  add("format", text("F"), "perfetto, paje or html; default: by the end of the name of --out");
  add("point", text("N")->default_value("0"), "which point of the scenario, counted from 0");
  add("replication", text("N")->default_value("0"), "which replication, counted from 0");
  add("limit-events", text("N")->default_value("100000"),
      "refuse a run of N events or more, and write nothing");
  add("without", po::value<std::vector<std::string>>()->composing()->value_name("KIND"),
      "leave out messages of this kind, such as heartbeat");
  verb.choices["format"] = only(trace_formats());
  return verb;
}

int carry_out_trace(const Call& call) {
  const po::variables_map& values = call.values;
  const std::string file = scenario_file(call.verb, values);
  const TraceRequest request = trace_request(values);
  const scenario::Study study = scenario::load_study(file, scenario_overrides(call.verb, values));
  const std::size_t point = point_of(values, study);
  const scenario::Scenario scenario = scenario::point_scenario(study, point);
  const std::string left_out = left_out_of(request, scenario.points.at(0));
  OutputFile output(request.out);
  const traces::TraceTitle title{.scenario = scenario.name,
                                 .point = scenario::point_label(study, point),
                                 .engine = scenario::word_of(scenario.engine),
                                 .seed = scenario.seed,
                                 .replication = request.replication,
                                 .left_out = left_out};
  std::string answer;
  runs::in_processes(
      1,
      [&](unsigned, const runs::WriteLine& write) {
        write(simulated_text(scenario, title, request));
      },
      [&answer](const std::string& line) { answer += line + "\n"; });
  if (answer == "L\n")
    throw UsageError(
        "trace: the run has " + std::to_string(request.limit_events) +
        " events or more, too many to look at: make the run smaller, or raise --limit-events");
  if (answer.empty() || answer.front() < '0' || answer.front() > '9')
    throw RunError("trace: the process that simulated the run returned no result");
  const std::size_t code_end = answer.find('\n');
  const std::size_t words_end = answer.find("\n\n");
  output.write(answer.substr(words_end + 2));
  if (request.out)
    call.out << *request.out << ": " << answer.substr(code_end + 1, words_end - code_end);
  return answer.front() - '0';
}

}  // namespace

Verb trace_verb() {
  return {.name = "trace",
          .summary = "write one run as a diagram, or for Perfetto or Paje",
          .options = trace_options,
          .run = carry_out_trace};
}

}  // namespace faultline::cli
