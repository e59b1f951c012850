#include "sim/cli/bench.hpp"

#include <ostream>

#include "analysis/runs/benchmark.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/cli/options.hpp"
#include "sim/core/registry.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline {

namespace {

namespace po = boost::program_options;

/// With more processes than Intrepid has hardware threads, the benchmark uses a larger machine.
constexpr std::uint32_t kIntrepidProcesses = 163840;

std::vector<std::string> detector_names() {
  std::vector<std::string> names = {"none"};
  for (const Registration& registration : registrations())
    if (registration.family == Family::termination) names.push_back(registration.name);
  return names;
}

BenchmarkSettings settings_of(const po::variables_map& values) {
  const auto number = [&](const char* option, std::uint64_t high) {
    return whole_number("bench: --" + std::string(option), values[option].as<std::string>(), 1,
                        high);
  };
  BenchmarkSettings settings;
  settings.processes = static_cast<std::uint32_t>(number("processes", 100000000));
  settings.in_flight = values.count("in-flight") == 0
                           ? settings.processes
                           : static_cast<std::uint32_t>(number("in-flight", 100000000));
  settings.rounds = static_cast<unsigned>(number("rounds", 1000));
  settings.machine = values.count("machine") != 0              ? values["machine"].as<std::string>()
                     : settings.processes > kIntrepidProcesses ? "mira"
                                                               : "intrepid";
  if (values["engine"].as<std::string>() == "simgrid") settings.engine = EngineKind::simgrid;
  if (values.count("messages") != 0)
    settings.messages = number("messages", 1000000000000);
  else if (settings.engine == EngineKind::simgrid)
    settings.messages = 100000;
  const std::string detector = values["termination"].as<std::string>();
  if (detector != "none") settings.termination = detector;
  return settings;
}

/// Null if the value was not measured.
JsonValue number_or_null(double value) { return value > 0.0 ? JsonValue(value) : JsonValue(); }

std::string json_text(const BenchmarkSettings& settings, const BenchmarkResult& result) {
  return to_json(json_object({{"engine", word_of(settings.engine)},
                              {"machine", settings.machine},
                              {"termination", settings.termination.empty()
                                                  ? JsonValue("none")
                                                  : JsonValue(settings.termination)},
                              {"processes", std::int64_t{settings.processes}},
                              {"in_flight", std::int64_t{settings.in_flight}},
                              {"messages", static_cast<std::int64_t>(result.messages)},
                              {"rounds", std::int64_t{settings.rounds}},
                              {"messages_per_s", result.messages_per_s},
                              {"carried_messages_per_s", result.carried_messages_per_s},
                              {"bare_messages_per_s", number_or_null(result.bare_messages_per_s)},
                              {"layer_ratio", number_or_null(result.layer_ratio)},
                              {"reference_heap_events_per_s", result.reference_heap_events_per_s},
                              {"ratio", result.ratio},
                              {"peak_rss_bytes", result.peak_rss_bytes},
                              {"bytes_per_process", result.bytes_per_process},
                              {"bare_simgrid_messages_per_s",
                               number_or_null(result.bare_simgrid_messages_per_s)},
                              {"simgrid_ratio", number_or_null(result.simgrid_ratio)}}),
                 2) +
         "\n";
}

std::string table_text(const BenchmarkSettings& settings, const BenchmarkResult& result) {
  TextTable table;
  table.columns = {{"processes"},           {"in flight"}, {"messages/s"},
                   {"bare heap\nevents/s"}, {"ratio"},     {"peak RSS,\nMiB"},
                   {"bytes per\nprocess"}};
  table.rows = {{std::to_string(settings.processes), std::to_string(settings.in_flight),
                 fixed(result.messages_per_s, 0), fixed(result.reference_heap_events_per_s, 0),
                 fixed(result.ratio, 3),
                 fixed(static_cast<double>(result.peak_rss_bytes) / (1024.0 * 1024.0), 1),
                 fixed(result.bytes_per_process, 0)}};
  return "engine " + word_of(settings.engine) + " on " + settings.machine + ", detector " +
         (settings.termination.empty() ? "none" : settings.termination) + ", median of " +
         std::to_string(settings.rounds) + " rounds of " + std::to_string(result.messages) +
         " messages\n\n" + render(table) +
         (result.layer_ratio > 0.0
              ? "\nWith control messages: " + fixed(result.carried_messages_per_s, 0) +
                    " messages/s; without the detector: " + fixed(result.bare_messages_per_s, 0) +
                    " messages/s; ratio of the two " + fixed(result.layer_ratio, 3) + "\n"
              : "") +
         (result.simgrid_ratio > 0.0
              ? "\nSimGrid alone: " + fixed(result.bare_simgrid_messages_per_s, 0) +
                    " messages/s; ratio to that " + fixed(result.simgrid_ratio, 3) + "\n"
              : "");
}

}  // namespace

VerbOptions bench_options() {
  VerbOptions verb{.verb = "bench",
                   .usage =
                       "bench [--processes N] [--in-flight M] [--messages K]\n"
                       "       [--engine loggp|simgrid] [--machine NAME]\n"
                       "       [--termination NAME] [--rounds R] [--format table|json]"};
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add("processes", text("N")->default_value("1024"), "processes of the simulated job");
  add("in-flight", text("M"), "messages in flight at once; default: one per process");
  add("messages", text("K"),
      "messages to deliver in each round; default: 3000000, or 100000 on simgrid");
  add("engine", text("E")->default_value("loggp"), "loggp or simgrid");
  add("machine", text("NAME"), "default: intrepid, or mira for more than 163840 processes");
  add("termination", text("NAME")->default_value("none"), "run with this termination detector");
  add("rounds", text("R")->default_value("3"), "number of rounds; their medians are shown");
  add_format(verb, {"table", "json"});
  verb.choices["engine"] = only({"loggp", "simgrid"});
  verb.choices["machine"] = such_as(shipped_machines);
  verb.choices["termination"] = {.words = detector_names};
  return verb;
}

int bench_verb(const std::vector<std::string>& arguments, std::ostream& out) {
  const VerbOptions verb = bench_options();
  const po::variables_map values = parse_options(verb, arguments);
  if (values.count("help") != 0) {
    out << help_text(verb);
    return 0;
  }
  const std::string format = values["format"].as<std::string>();
  const BenchmarkSettings settings = settings_of(values);
  const BenchmarkResult result = run_benchmark(settings);
  out << (format == "json" ? json_text(settings, result) : table_text(settings, result));
  return 0;
}

}  // namespace faultline
