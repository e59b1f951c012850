// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <ostream>

#include "analysis/failures/trace_generator.hpp"
#include "cli/output_file.hpp"
#include "sim/core/error.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/overrides.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

double number_option(const po::variables_map& values, const std::string& option) {
  const std::string text = values[option].as<std::string>();
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && rest == text.data() + text.size() && std::isfinite(value) &&
      value >= 0)
    return value;
  throw UsageError("faults generate: --" + option + ": expected a number of at least 0, got " +
                   json::in_quotes(text));
}

failures::GeneratedTrace generated_trace(const po::variables_map& values) {
  for (const char* needed : {"nodes", "duration"})
    if (values.count(needed) == 0)
      throw UsageError("faults generate: --" + std::string(needed) + ": missing");
  return {.nodes = static_cast<std::uint32_t>(whole_number("faults generate: --nodes",
                                                           values["nodes"].as<std::string>(), 1,
                                                           std::uint64_t{1} << 22U)),
          .duration_s = number_option(values, "duration"),
          .seed = whole_number("faults generate: --seed", values["seed"].as<std::string>(), 0,
                               kLargestSeed),
          .repair_median_s = number_option(values, "repair-median"),
          .repair_sigma = number_option(values, "repair-sigma")};
}

std::vector<std::string> source_names() {
  std::vector<std::string> names;
  names.reserve(faults::fault_sources().size());
  for (const faults::FaultSourceRegistration& kind : faults::fault_sources())
    names.push_back(kind.name);
  return names;
}

/// The source that the words name, checked like a source of a scenario.
faults::FaultSourceChoice source_of(const std::vector<std::string>& words, std::uint32_t nodes) {
  const std::string name = one_of("faults generate", words.front(), source_names());
  json::Problems problems("faults generate");
  json::JsonValue root = json::json_object({{name, json::JsonValue::Object{}}});
  for (std::size_t i = 1; i < words.size(); ++i)
    scenario::apply_set(root, name + "." + words[i], problems);
  faults::FaultSourceChoice source{.registration = faults::find_fault_source(name),
                                   .options = {},
                                   .key = json::item_path(name, 0)};
  json::CheckedObject object(*root.find(name), name, problems);
  source.options = object.options(source.registration->options);
  object.finish();
  if (problems.empty()) {
    faults::FaultTarget target;
    target.job = {.processes = nodes, .nodes = nodes};
    for (const OptionProblem& problem : source.registration->check(source.options, target))
      problems.add(json::member_path(name, problem.option), problem.message);
    if (!faults::strikes_nodes(source) && !faults::cuts_off(source))
      problems.add(json::member_path(name, "victims"), R"(expected "nodes": a trace has no ranks)");
    const auto placement = source.options.find("placement");
    if (placement != source.options.end() && placement->second == OptionValue("related"))
      problems.add(json::member_path(name, "placement"), R"("related" needs a run)");
  }
  problems.throw_if_any();
  return source;
}

faults::TraceFormat format_of(const po::variables_map& values, std::uint32_t nodes) {
  const std::string word = values["to"].as<std::string>();
  if (word == "simgrid" && nodes != 1)
    throw UsageError("faults generate: --to simgrid: a profile has one host, expected --nodes 1");
  for (const faults::TraceFormat format :
       {faults::TraceFormat::fta, faults::TraceFormat::lanl, faults::TraceFormat::simgrid,
        faults::TraceFormat::table})
    if (word == faults::format_word(format)) return format;
  return faults::TraceFormat::fta;
}

VerbOptions generate_options() {
  VerbOptions verb{
      .verb = "faults generate",
      .usage =
          "faults generate SOURCE [KEY=VALUE]... --nodes N --duration S\n"
          "       [--seed N] [--to fta|lanl|simgrid|table] [--repair-median S]\n"
          "       [--repair-sigma X] [--out FILE]\n\n"
          "  faultline faults generate weibull shape=0.7 mtbf_s=28800 sizes=jaguar \\\n"
          "      --nodes 1024 --duration 3.2e7 --out year.fta",
      .about =
          "Draws the faults of a source on N nodes and writes them as a trace. SOURCE and its "
          "options KEY=VALUE are those of a scenario; faultline list faults names them. A node "
          "that is down cannot fail."};
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add("nodes", text("N"), "nodes of the machine");
  add("duration", text("S"), "duration of the trace in seconds");
  add("seed", text("N")->default_value("1"), "seed, 0 to 2^53; the same seed draws the same trace");
  add("to", text("F")->default_value("fta"),
      "fta (event_trace of the Failure Trace Archive), lanl (26 columns, whole minutes), simgrid "
      "(state profile of one node) or table (columns node, down_s and up_s)");
  add("repair-median", text("S")->default_value("4000"),
      "median of the lognormal time until a node is back, in seconds, if the source has no "
      "repair; 0: it is back at once (default: 67 minutes, the fit to LANL's systems)");
  add("repair-sigma", text("X")->default_value("1.2"), "standard deviation of its logarithm");
  add_out(verb);
  verb.hidden.add_options()("words", po::value<std::vector<std::string>>());
  verb.positional.add("words", 1000);
  verb.choices["to"] = only({"fta", "lanl", "simgrid", "table"});
  verb.choices["words"] = such_as(source_names);
  return verb;
}

int carry_out_generate(const Call& call) {
  const po::variables_map& values = call.values;
  if (values.count("words") == 0)
    throw UsageError(
        "faults generate: expected a source such as weibull "
        "(see faultline faults generate --help)");
  const failures::GeneratedTrace request = generated_trace(values);
  const faults::TraceFormat format = format_of(values, request.nodes);
  const faults::FaultSourceChoice source =
      source_of(values["words"].as<std::vector<std::string>>(), request.nodes);
  const auto file = text_of(values, "out");
  OutputFile output(file);
  const std::vector<faults::FaultRecord> records = failures::generate_trace(source, request);
  if (records.empty())
    throw UsageError(
        "faults generate: no fault strikes within --duration, and a trace cannot be empty");
  const std::string text = failures::trace_text(records, format);
  if (!file) {
    call.out << text;
    return 0;
  }
  output.write(text);
  call.out << *file << ": " << records.size()
           << (records.size() == 1 ? " failure\n" : " failures\n");
  return 0;
}

}  // namespace

Verb faults_generate_verb() {
  return {.name = "generate", .options = generate_options, .run = carry_out_generate};
}

}  // namespace faultline::cli
