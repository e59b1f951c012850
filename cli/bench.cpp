// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <ostream>

#include "analysis/runs/benchmark.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "sim/core/registry.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;

/// With more processes than Intrepid has hardware threads, the benchmark uses a larger machine.
constexpr std::uint32_t kIntrepidProcesses = 163840;

constexpr std::uint32_t kMostProcesses = 100000000;

std::vector<std::string> names_in(Family family) {
  std::vector<std::string> names;
  for (const Registration& registration : registrations())
    if (registration.family == family) names.push_back(registration.name);
  return names;
}

std::vector<std::string> detector_names() {
  std::vector<std::string> names = names_in(Family::termination);
  names.insert(names.begin(), "none");
  return names;
}

std::uint64_t count_of(const po::variables_map& values, const char* option, std::uint64_t low,
                       std::uint64_t high) {
  return whole_number("bench: --" + std::string(option), values[option].as<std::string>(), low,
                      high);
}

bool is_given(const po::variables_map& values, const std::string& option) {
  return values.count(option) != 0 && !values[option].defaulted();
}

runs::BenchmarkSettings settings_of(const po::variables_map& values) {
  const auto number = [&](const char* option, std::uint64_t high) {
    return count_of(values, option, 1, high);
  };
  if (is_given(values, "seconds")) throw UsageError("bench: --seconds: needs --failure-detection");
  runs::BenchmarkSettings settings;
  if (is_given(values, "message-logging")) {
    for (const char* option : {"in-flight", "engine", "termination"})
      if (is_given(values, option))
        throw UsageError("bench: --message-logging: cannot be combined with --" +
                         std::string(option));
    settings.message_logging = values["message-logging"].as<std::string>();
  }
  settings.processes = static_cast<std::uint32_t>(number("processes", kMostProcesses));
  settings.in_flight = values.count("in-flight") == 0
                           ? settings.processes
                           : static_cast<std::uint32_t>(number("in-flight", kMostProcesses));
  settings.rounds = static_cast<unsigned>(number("rounds", 1000));
  settings.machine = values.count("machine") != 0              ? values["machine"].as<std::string>()
                     : settings.processes > kIntrepidProcesses ? "mira"
                                                               : "intrepid";
  if (values["engine"].as<std::string>() == "simgrid")
    settings.engine = scenario::EngineKind::simgrid;
  if (values.count("messages") != 0)
    settings.messages = number("messages", 1000000000000);
  else if (settings.engine == scenario::EngineKind::simgrid)
    settings.messages = 100000;
  const std::string detector = values["termination"].as<std::string>();
  if (detector != "none") settings.termination = detector;
  return settings;
}

runs::DetectionBenchmarkSettings detection_settings_of(const po::variables_map& values) {
  for (const char* option : {"in-flight", "messages", "engine", "termination", "message-logging"})
    if (is_given(values, option))
      throw UsageError("bench: --failure-detection: cannot be combined with --" +
                       std::string(option));
  runs::DetectionBenchmarkSettings settings;
  settings.failure_detection = values["failure-detection"].as<std::string>();
  if (is_given(values, "machine")) settings.machine = values["machine"].as<std::string>();
  if (is_given(values, "processes"))
    settings.daemons = static_cast<std::uint32_t>(count_of(values, "processes", 4, kMostProcesses));
  if (is_given(values, "seconds"))
    settings.simulated_s = static_cast<std::uint32_t>(count_of(values, "seconds", 1, 1000000));
  if (is_given(values, "rounds"))
    settings.rounds = static_cast<unsigned>(count_of(values, "rounds", 1, 1000));
  return settings;
}

runs::TransactionsBenchmarkSettings transactions_settings_of(const po::variables_map& values) {
  for (const char* option :
       {"in-flight", "engine", "termination", "message-logging", "failure-detection", "seconds"})
    if (is_given(values, option))
      throw UsageError("bench: --transactions: cannot be combined with --" + std::string(option));
  runs::TransactionsBenchmarkSettings settings;
  settings.transactions = values["transactions"].as<std::string>();
  settings.processes = static_cast<std::uint32_t>(count_of(values, "processes", 8, kMostProcesses));
  if (is_given(values, "machine")) settings.machine = values["machine"].as<std::string>();
  if (is_given(values, "messages"))
    settings.messages = count_of(values, "messages", 1, 1000000000000);
  if (is_given(values, "rounds"))
    settings.rounds = static_cast<unsigned>(count_of(values, "rounds", 1, 1000));
  return settings;
}

/// Null if the value was not measured.
json::JsonValue number_or_null(double value) {
  return value > 0.0 ? json::JsonValue(value) : json::JsonValue();
}

std::string json_text(const runs::BenchmarkSettings& settings,
                      const runs::BenchmarkResult& result) {
  return json::to_json(json::json_object(
                           {{"engine", scenario::word_of(settings.engine)},
                            {"machine", settings.machine},
                            {"termination", settings.termination.empty()
                                                ? json::JsonValue("none")
                                                : json::JsonValue(settings.termination)},
                            {"message_logging", settings.message_logging.empty()
                                                    ? json::JsonValue("none")
                                                    : json::JsonValue(settings.message_logging)},
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

std::string table_text(const runs::BenchmarkSettings& settings,
                       const runs::BenchmarkResult& result) {
  text::TextTable table;
  table.columns = {{"processes"},           {"in flight"}, {"messages/s"},
                   {"bare heap\nevents/s"}, {"ratio"},     {"peak RSS,\nMiB"},
                   {"bytes per\nprocess"}};
  table.rows = {{std::to_string(settings.processes), std::to_string(settings.in_flight),
                 text::fixed(result.messages_per_s, 0),
                 text::fixed(result.reference_heap_events_per_s, 0), text::fixed(result.ratio, 3),
                 text::fixed(static_cast<double>(result.peak_rss_bytes) / (1024.0 * 1024.0), 1),
                 text::fixed(result.bytes_per_process, 0)}};
  const std::string protocol =
      settings.message_logging.empty()
          ? "detector " + (settings.termination.empty() ? "none" : settings.termination)
          : "jacobi3d with " + std::to_string(runs::kBenchmarkObjects) +
                " objects a process under " + settings.message_logging;
  return "engine " + scenario::word_of(settings.engine) + " on " + settings.machine + ", " +
         protocol + ", median of " + std::to_string(settings.rounds) + " rounds of " +
         std::to_string(result.messages) + " messages\n\n" + text::render(table) +
         (result.layer_ratio > 0.0
              ? "\nWith control messages: " + text::fixed(result.carried_messages_per_s, 0) +
                    " messages/s; without the protocol: " +
                    text::fixed(result.bare_messages_per_s, 0) + " messages/s; ratio of the two " +
                    text::fixed(result.layer_ratio, 3) + "\n"
              : "") +
         (result.simgrid_ratio > 0.0
              ? "\nSimGrid alone: " + text::fixed(result.bare_simgrid_messages_per_s, 0) +
                    " messages/s; ratio to that " + text::fixed(result.simgrid_ratio, 3) + "\n"
              : "");
}

// ---- failure detectors ------------------------------------------------------------------------

double events_per_message(const runs::DetectionBenchmarkRun& run) {
  return run.messages == 0 ? 0.0
                           : static_cast<double>(run.events) / static_cast<double>(run.messages);
}

std::string json_text(const runs::DetectionBenchmarkSettings& settings,
                      const std::vector<runs::DetectionBenchmarkRun>& measured) {
  json::JsonValue::List runs;
  for (const runs::DetectionBenchmarkRun& run : measured)
    runs.push_back(
        json::json_object({{"deaths", std::int64_t{run.deaths}},
                           {"messages", static_cast<std::int64_t>(run.messages)},
                           {"events", static_cast<std::int64_t>(run.events)},
                           {"events_per_message", number_or_null(events_per_message(run))},
                           {"spent_s", run.spent_s},
                           {"messages_per_s", number_or_null(run.messages_per_s)},
                           {"reference_heap_events_per_s", run.reference_heap_events_per_s},
                           {"ratio", number_or_null(run.ratio)},
                           {"peak_rss_bytes", run.peak_rss_bytes}}));
  return json::to_json(json::json_object({{"failure_detection", settings.failure_detection},
                                          {"machine", settings.machine},
                                          {"daemons", std::int64_t{settings.daemons}},
                                          {"simulated_s", std::int64_t{settings.simulated_s}},
                                          {"rounds", std::int64_t{settings.rounds}},
                                          {"runs", runs}}),
                       2) +
         "\n";
}

std::string table_text(const runs::DetectionBenchmarkSettings& settings,
                       const std::vector<runs::DetectionBenchmarkRun>& measured) {
  text::TextTable table;
  table.columns = {{"deaths\nat once"},
                   {"messages"},
                   {"seconds"},
                   {"messages/s"},
                   {"events per\nmessage"},
                   {"bare heap\nevents/s"},
                   {"ratio"},
                   {"peak RSS,\nMiB"}};
  const auto or_none = [](double value, int digits) {
    return value > 0.0 ? text::fixed(value, digits) : std::string("-");
  };
  for (const runs::DetectionBenchmarkRun& run : measured)
    table.rows.push_back(
        {std::to_string(run.deaths), std::to_string(run.messages), text::fixed(run.spent_s, 2),
         or_none(run.messages_per_s, 0), or_none(events_per_message(run), 2),
         text::fixed(run.reference_heap_events_per_s, 0), or_none(run.ratio, 3),
         text::fixed(static_cast<double>(run.peak_rss_bytes) / (1024.0 * 1024.0), 1)});
  return settings.failure_detection + " among " + std::to_string(settings.daemons) +
         " daemons on " + settings.machine + ", " + std::to_string(settings.simulated_s) +
         " simulated seconds,\nheartbeats every " + json::shortest(runs::kBenchmarkPeriod_s) +
         " s, engine loggp, median of rounds: " + std::to_string(settings.rounds) + "\n\n" +
         text::render(table);
}

// ---- transactions -----------------------------------------------------------------------------

std::string json_text(const runs::TransactionsBenchmarkSettings& settings,
                      const std::vector<runs::TransactionsBenchmarkRun>& measured) {
  json::JsonValue::List runs;
  for (const runs::TransactionsBenchmarkRun& run : measured)
    runs.push_back(json::json_object({{"deaths", std::int64_t{run.deaths}},
                                      {"iterations", static_cast<std::int64_t>(run.iterations)},
                                      {"messages", static_cast<std::int64_t>(run.messages)},
                                      {"spent_s", run.spent_s},
                                      {"messages_per_s", run.messages_per_s},
                                      {"bare_messages_per_s", run.bare_messages_per_s},
                                      {"layer_ratio", run.layer_ratio},
                                      {"traffic_messages_per_s", run.traffic_messages_per_s},
                                      {"traffic_ratio", run.traffic_ratio},
                                      {"peak_rss_bytes", run.peak_rss_bytes},
                                      {"bytes_per_process", run.bytes_per_process}}));
  return json::to_json(json::json_object({{"transactions", settings.transactions},
                                          {"machine", settings.machine},
                                          {"processes", std::int64_t{settings.processes}},
                                          {"rounds", std::int64_t{settings.rounds}},
                                          {"runs", runs}}),
                       2) +
         "\n";
}

std::string table_text(const runs::TransactionsBenchmarkSettings& settings,
                       const std::vector<runs::TransactionsBenchmarkRun>& measured) {
  text::TextTable table;
  table.columns = {{"deaths"},
                   {"messages"},
                   {"seconds"},
                   {"messages/s"},
                   {"bare minife,\nmessages/s"},
                   {"ratio"},
                   {"traffic,\nmessages/s"},
                   {"ratio"},
                   {"peak RSS,\nMiB"},
                   {"bytes per\nprocess"}};
  for (const runs::TransactionsBenchmarkRun& run : measured)
    table.rows.push_back(
        {std::to_string(run.deaths), std::to_string(run.messages), text::fixed(run.spent_s, 2),
         text::fixed(run.messages_per_s, 0), text::fixed(run.bare_messages_per_s, 0),
         text::fixed(run.layer_ratio, 3), text::fixed(run.traffic_messages_per_s, 0),
         text::fixed(run.traffic_ratio, 3),
         text::fixed(static_cast<double>(run.peak_rss_bytes) / (1024.0 * 1024.0), 1),
         text::fixed(run.bytes_per_process, 0)});
  return "minife under " + settings.transactions + " with " + std::to_string(settings.processes) +
         " processes on " + settings.machine + ", " + std::to_string(measured.front().iterations) +
         " iterations,\nengine loggp, median of rounds: " + std::to_string(settings.rounds) +
         "\n\n" + text::render(table);
}

VerbOptions bench_options() {
  VerbOptions verb{.verb = "bench",
                   .usage =
                       "bench [--processes N] [--in-flight M] [--messages K]\n"
                       "       [--engine loggp|simgrid] [--machine NAME]\n"
                       "       [--termination NAME | --message-logging NAME] [--rounds R]\n"
                       "       [--format table|json]\n"
                       "       faultline bench --failure-detection NAME [--processes N]\n"
                       "       [--seconds S] [--machine NAME] [--rounds R] [--format F]\n"
                       "       faultline bench --transactions NAME [--processes N]\n"
                       "       [--messages K] [--machine NAME] [--rounds R] [--format F]"};
  auto add = verb.options.add_options();
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  add("processes", text("N")->default_value("1024"),
      "number of processes; with --failure-detection, number of nodes, by default 49152");
  add("in-flight", text("M"), "messages in flight at once; default: one per process");
  add("messages", text("K"),
      "messages to deliver in each round; default: 3000000, or 100000 on simgrid. With "
      "--transactions approximate, and at least 20 iterations");
  add("engine", text("E")->default_value("loggp"), "loggp or simgrid");
  add("machine", text("NAME"),
      "default: intrepid; mira for more than 163840 processes, or with --failure-detection; "
      "stampede with --transactions");
  add("termination", text("NAME")->default_value("none"), "run with this termination detector");
  add("message-logging", text("NAME"),
      "run Jacobi3D with 8 objects a process under this protocol of message logging");
  add("failure-detection", text("NAME"),
      "measure this failure detector alone, with and without deaths");
  add("transactions", text("NAME"),
      "run MiniFE under this protocol of transactions, without a death and with one");
  add("seconds", text("S"), "simulated seconds, with --failure-detection; default: 80");
  add("rounds", text("R")->default_value("3"),
      "number of rounds; the result is their median; default with --failure-detection or "
      "--transactions: 1");
  add_format(verb, {"table", "json"});
  verb.choices["engine"] = only({"loggp", "simgrid"});
  verb.choices["machine"] = such_as(scenario::shipped_machines);
  verb.choices["termination"] = {.words = detector_names};
  verb.choices["message-logging"] = {.words = [] { return names_in(Family::message_logging); }};
  verb.choices["failure-detection"] = {.words = [] { return names_in(Family::failure_detection); }};
  verb.choices["transactions"] = {.words = [] { return names_in(Family::transactions); }};
  return verb;
}

int carry_out_bench(const Call& call) {
  const po::variables_map& values = call.values;
  const std::string format = values["format"].as<std::string>();
  if (values.count("transactions") != 0) {
    const runs::TransactionsBenchmarkSettings settings = transactions_settings_of(values);
    const std::vector<runs::TransactionsBenchmarkRun> runs =
        runs::run_transactions_benchmark(settings);
    call.out << (format == "json" ? json_text(settings, runs) : table_text(settings, runs));
    return 0;
  }
  if (values.count("failure-detection") != 0) {
    const runs::DetectionBenchmarkSettings settings = detection_settings_of(values);
    const std::vector<runs::DetectionBenchmarkRun> runs = runs::run_detection_benchmark(settings);
    call.out << (format == "json" ? json_text(settings, runs) : table_text(settings, runs));
    return 0;
  }
  const runs::BenchmarkSettings settings = settings_of(values);
  const runs::BenchmarkResult result = runs::run_benchmark(settings);
  call.out << (format == "json" ? json_text(settings, result) : table_text(settings, result));
  return 0;
}

}  // namespace

Verb bench_verb() {
  return {.name = "bench",
          .summary = "measure messages per second, compared with a bare event queue",
          .options = bench_options,
          .run = carry_out_bench};
}

}  // namespace faultline::cli
