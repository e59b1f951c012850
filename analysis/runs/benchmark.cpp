// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/benchmark.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <queue>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "analysis/runs/worker_process.hpp"
#include "sim/core/error.hpp"
#include "sim/core/random.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Numbers measured in a process of their own, so that memory counts nothing but their own work.
using Measurement = std::array<double, 5>;

template <class Measure>
Measurement in_own_process(Measure measure) {
  Measurement measured{};
  std::size_t known = 0;
  in_processes(
      1,
      [&](unsigned, const WriteLine& write) {
        for (const double number : measure()) write(shortest(number));
      },
      [&](const std::string& line) {
        if (known < measured.size()) measured[known++] = std::stod(line);
      });
  return measured;
}

struct ReferenceEvent {
  double time_s;
  std::uint64_t sequence;
  std::uint64_t payload[2];
  friend bool operator>(const ReferenceEvent& a, const ReferenceEvent& b) {
    return a.time_s > b.time_s || (a.time_s == b.time_s && a.sequence > b.sequence);
  }
};
static_assert(sizeof(ReferenceEvent) == 32);

Measurement measure_reference(std::uint32_t pending, std::uint64_t events) {
  Stream random(1, 0, Purpose::workload, 0);
  std::priority_queue<ReferenceEvent, std::vector<ReferenceEvent>, std::greater<>> queue;
  std::uint64_t sequence = 0;
  for (std::uint32_t i = 0; i < pending; ++i) queue.push({random.uniform(), sequence++, {i, i}});
  const auto begin = Clock::now();
  for (std::uint64_t i = 0; i < events; ++i) {
    ReferenceEvent event = queue.top();
    queue.pop();
    event.time_s += random.uniform();
    event.sequence = sequence++;
    queue.push(event);
  }
  return {static_cast<double>(events) / seconds_since(begin), queue.top().time_s};
}

/// A run of a few processes and messages. It loads the program's own code, so that this does not
/// count as memory of the large run.
void warm_up(const Scenario& scenario) {
  RunSpec small = scenario.points[0];
  small.platform.processes = 16;
  small.stop.events = 1000;
  OptionValues& options = small.components[static_cast<std::size_t>(Family::workload)].options;
  if (options.contains("tokens")) options["tokens"] = std::int64_t{16};
  engine::run_simulation(small, scenario.engine, scenario.seed, 0);
}

Measurement measure_engine(const Scenario& scenario) {
  if (scenario.engine == EngineKind::loggp) warm_up(scenario);  // SimGrid runs once in a process
  const auto before = static_cast<double>(peak_rss_bytes());
  const engine::RunResult result =
      engine::run_simulation(scenario.points[0], scenario.engine, scenario.seed, 0);
  const double messages = *result.metrics.values().at("application_messages");
  const double control = *result.metrics.values().at("control_messages");
  const double spent_s = result.wall_s - result.setup_s;
  const auto peak = static_cast<double>(peak_rss_bytes());
  return {messages / spent_s, peak, peak - before, (messages + control) / spent_s, messages};
}

Machine machine_named(const std::string& name) {
  try {
    return load_machine(name, "");
  } catch (const UsageError& error) {
    throw UsageError("bench: --machine: " + std::string(error.what()));
  }
}

void check_processes(std::uint32_t processes, std::uint64_t most, const std::string& of_what) {
  if (processes > most)
    throw UsageError("bench: --processes: expected at most " + std::to_string(most) + ", the " +
                     of_what + ", got " + std::to_string(processes));
}

Machine machine_of(const BenchmarkSettings& settings) {
  Machine machine = machine_named(settings.machine);
  check_processes(settings.processes,
                  std::uint64_t{machine.nodes} * machine.hardware_threads_per_node,
                  "hardware threads of " + machine.name);
  return machine;
}

/// What is measured: uniform traffic, or what has a state to be logged for.
std::string workload_json(const BenchmarkSettings& settings) {
  const auto rounds_of = [&](std::uint64_t messages) {
    return std::to_string(
        std::max<std::uint64_t>(1, (settings.messages + messages - 1) / messages));
  };
  if (settings.message_logging.empty())
    return R"({"name": "uniform-traffic", "tokens": )" + std::to_string(settings.in_flight) +
           R"(, "hops": )" + rounds_of(settings.in_flight) + "}";
  constexpr std::uint64_t kNeighbours = 6;
  return R"({"name": "stencil", "preset": "jacobi3d", "objects_per_process": )" +
         std::to_string(kBenchmarkObjects) + R"(, "iterations": )" +
         rounds_of(kNeighbours * kBenchmarkObjects * settings.processes) + "}";
}

/// A member of the scenario, if there is such a component.
std::string component_json(const char* family, const std::string& name) {
  if (name.empty()) return {};
  return ", \"" + std::string(family) + R"(": {"name": )" + to_json(name) + "}";
}

/// `with_protocols`: without them it is the bare traffic.
Scenario benchmark_scenario(const BenchmarkSettings& settings, bool with_protocols) {
  const Machine machine = machine_of(settings);
  // Under message logging nodes have shared NICs, in whose queue its messages overtake others. The
  // bare traffic has them if a node has several processes.
  const std::uint32_t per_node = settings.message_logging.empty()
                                     ? (settings.processes + machine.nodes - 1) / machine.nodes
                                     : machine.hardware_threads_per_node;
  const auto text = [](std::uint64_t value) { return std::to_string(value); };
  std::string json = R"({"schema_version": 1, "name": "bench", "engine": ")";
  json += word_of(settings.engine);
  json += R"(", "platform": {"machine": )" + to_json(settings.machine) + R"(, "processes": )" +
          text(settings.processes) + R"(, "processes_per_node": )" + text(per_node) + "}";
  json += R"(, "workload": )" + workload_json(settings);
  if (with_protocols) {
    json += component_json("termination", settings.termination);
    json += component_json("message_logging", settings.message_logging);
  }
  const char* end = !settings.message_logging.empty()                 ? "finished"
                    : with_protocols && !settings.termination.empty() ? "announced"
                                                                      : "time";
  json += R"(, "stop": {"when": ")" + std::string(end) +
          R"(", "time_s": 1e9, "events": 9007199254740992}})";
  return parse_scenario(json, "bench");
}

/// SimGrid's own rate. Which way to send is faster depends on how many messages are in flight, so
/// both are measured, and the faster one counts.
double measure_bare_simgrid(const Scenario& scenario, const BenchmarkSettings& settings) {
  double most = 0.0;
  for (const engine::BareSends sends : {engine::BareSends::detached, engine::BareSends::kept}) {
    const Measurement measured = in_own_process([&]() -> Measurement {
      return {engine::bare_simgrid_messages_per_s(scenario.points[0].platform, settings.in_flight,
                                                  settings.messages, sends)};
    });
    most = std::max(most, measured[0]);
  }
  return most;
}

// ---- failure detectors ------------------------------------------------------------------------

constexpr std::uint32_t kDeathsAtOnce = 18;

/// The options of the benchmark that the detector has, as members of its object.
std::string detector_json(const DetectionBenchmarkSettings& settings) {
  const Registration* detector =
      find_registration(Family::failure_detection, settings.failure_detection);
  if (detector == nullptr)
    throw UsageError("bench: --failure-detection: there is no failure detector " +
                     visible(settings.failure_detection));
  std::string json = R"({"name": )" + to_json(detector->name);
  for (const OptionSpec& option : detector->options) {
    if (option.name == "heartbeat_period_s")
      json += R"(, "heartbeat_period_s": )" + shortest(kBenchmarkPeriod_s);
    if (option.name == "timeout_s") json += R"(, "timeout_s": )" + shortest(kBenchmarkTimeout_s);
    if (option.name == "members") json += R"(, "members": "daemons")";
  }
  return json + "}";
}

/// The dead are spread over the job, so that each is found by itself.
std::string deaths_json(const DetectionBenchmarkSettings& settings, std::uint32_t deaths) {
  std::string json = R"({"at": [{"time_s": )" + shortest(settings.simulated_s / 2.0);
  json += R"(, "nodes": [)";
  for (std::uint64_t death = 0; death < deaths; ++death)
    json += (death == 0 ? "" : ", ") + std::to_string(death * settings.daemons / deaths);
  return json + "]}]}";
}

Scenario detection_scenario(const DetectionBenchmarkSettings& settings, std::uint32_t deaths) {
  const Machine machine = machine_named(settings.machine);
  check_processes(settings.daemons, machine.nodes, "nodes of " + machine.name);
  std::string json = R"({"schema_version": 1, "name": "bench", "platform": {"machine": )";
  json += to_json(settings.machine) + R"(, "processes": )" + std::to_string(settings.daemons) +
          R"(, "processes_per_node": 1, "silent_link_lost_delay_s": )" +
          shortest(kBenchmarkSilence_s) + R"(}, "workload": {"name": "uniform-traffic", )" +
          R"("tokens": 1, "hops": 1}, "failure_detection": )" + detector_json(settings);
  if (deaths > 0) json += R"(, "faults": )" + deaths_json(settings, deaths);
  json += R"(, "stop": {"when": "time", "time_s": )" + std::to_string(settings.simulated_s) +
          R"(, "events": 9007199254740992}})";
  return parse_scenario(json, "bench");
}

Measurement measure_detector(const Scenario& scenario) {
  const engine::RunResult result =
      engine::run_simulation(scenario.points[0], scenario.engine, scenario.seed, 0);
  return {result.wall_s - result.setup_s, *result.metrics.values().at("detection_messages"),
          static_cast<double>(result.events), static_cast<double>(peak_rss_bytes())};
}

// ---- transactions -----------------------------------------------------------------------------

std::uint64_t iterations_of(const TransactionsBenchmarkSettings& settings) {
  constexpr std::uint64_t kFewest = 20;
  constexpr std::uint64_t kMessagesOfRank = 40;  // roughly, in an iteration
  return std::max(kFewest, settings.messages / kMessagesOfRank / settings.processes);
}

/// A job on the machine of the benchmark, with these further members. A spare node takes the place
/// of a rank that dies.
Scenario job_of(const TransactionsBenchmarkSettings& settings, const std::string& members) {
  const Machine machine = machine_named(settings.machine);
  check_processes(settings.processes,
                  std::uint64_t{machine.nodes - 1} * machine.hardware_threads_per_node,
                  "hardware threads of " + machine.name + " but for a spare node");
  std::string json = R"({"schema_version": 1, "name": "bench", "platform": {"machine": )";
  json += to_json(settings.machine) + R"(, "processes": )" + std::to_string(settings.processes) +
          R"(, "processes_per_node": )" + std::to_string(machine.hardware_threads_per_node) +
          R"(, "spare_nodes": 1}, )" + members + "}";
  return parse_scenario(json, "bench");
}

/// Minife under a protocol, or under none (""), in which a rank dies at that time, or none (never).
Scenario program_scenario(const TransactionsBenchmarkSettings& settings,
                          const std::string& transactions, double death_s) {
  std::string members = R"("workload": {"name": "minife", "nx": 2000, "ny": 1000, "nz": 1000, )"
                        R"("iterations": )" +
                        std::to_string(iterations_of(settings)) + "}" +
                        component_json("transactions", transactions);
  if (death_s != kNever)
    members += R"(, "faults": {"at": [{"time_s": )" + shortest(death_s) + R"(, "ranks": [)" +
               std::to_string(settings.processes / 2) + "]}]}";
  members += R"(, "failure_detection": {"name": "oracle"})";
  return job_of(settings, members + R"(, "stop": {"when": "finished", "time_s": 1e9})");
}

Scenario traffic_scenario(const TransactionsBenchmarkSettings& settings) {
  const std::string hops = std::to_string(1 + settings.messages / settings.processes);
  return job_of(settings, R"("workload": {"name": "uniform-traffic", "tokens": )" +
                              std::to_string(settings.processes) + R"(, "hops": )" + hops +
                              R"(}, "stop": {"when": "time", "time_s": 1e9})");
}

/// `small` is warmed up with.
Measurement measure_job(const Scenario& scenario, const Scenario& small) {
  warm_up(small);
  const auto before = static_cast<double>(peak_rss_bytes());
  const engine::RunResult result =
      engine::run_simulation(scenario.points[0], scenario.engine, scenario.seed, 0);
  const auto values = result.metrics.values();
  const double messages = *values.at("application_messages") + *values.at("control_messages");
  const auto peak = static_cast<double>(peak_rss_bytes());
  return {result.wall_s - result.setup_s, messages, peak, peak - before, *values.at("end_time_s")};
}

/// The median, or zero if nothing was measured.
double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// What is measured as the median over the rounds, and memory as the most that was needed.
TransactionsBenchmarkRun median_of(const std::vector<TransactionsBenchmarkRun>& rounds) {
  TransactionsBenchmarkRun result = rounds.front();
  using Run = TransactionsBenchmarkRun;
  for (double Run::*const measured :
       {&Run::spent_s, &Run::messages_per_s, &Run::bare_messages_per_s, &Run::layer_ratio,
        &Run::traffic_messages_per_s, &Run::traffic_ratio}) {
    std::vector<double> values;
    values.reserve(rounds.size());
    for (const Run& round : rounds) values.push_back(round.*measured);
    result.*measured = median(values);
  }
  for (const Run& round : rounds) {
    result.peak_rss_bytes = std::max(result.peak_rss_bytes, round.peak_rss_bytes);
    result.bytes_per_process = std::max(result.bytes_per_process, round.bytes_per_process);
  }
  return result;
}

}  // namespace

BenchmarkResult run_benchmark(const BenchmarkSettings& settings) {
  const Scenario scenario = benchmark_scenario(settings, true);
  const Scenario bare_scenario = benchmark_scenario(settings, false);
  const bool has_protocol = !settings.termination.empty() || !settings.message_logging.empty();
  std::vector<double> rates;
  std::vector<double> carried;
  std::vector<double> references;
  std::vector<double> ratios;
  std::vector<double> bare;
  std::vector<double> layer_ratios;
  std::vector<double> simgrid;
  std::vector<double> simgrid_ratios;
  BenchmarkResult result;
  for (unsigned round = 0; round < settings.rounds; ++round) {
    const Measurement engine = in_own_process([&] { return measure_engine(scenario); });
    const Measurement reference =
        in_own_process([&] { return measure_reference(settings.in_flight, settings.messages); });
    result.messages = static_cast<std::uint64_t>(engine[4]);
    rates.push_back(engine[0]);
    carried.push_back(engine[3]);
    references.push_back(reference[0]);
    ratios.push_back(engine[0] / reference[0]);
    if (has_protocol) {
      bare.push_back(in_own_process([&] { return measure_engine(bare_scenario); })[0]);
      layer_ratios.push_back(engine[3] / bare.back());
    }
    if (settings.engine == EngineKind::simgrid) {
      simgrid.push_back(measure_bare_simgrid(scenario, settings));
      simgrid_ratios.push_back(engine[0] / simgrid.back());
    }
    result.peak_rss_bytes = std::max(result.peak_rss_bytes, static_cast<std::int64_t>(engine[1]));
    result.bytes_per_process = std::max(result.bytes_per_process, engine[2] / settings.processes);
  }
  result.messages_per_s = median(rates);
  result.carried_messages_per_s = median(carried);
  result.bare_messages_per_s = median(bare);
  result.layer_ratio = median(layer_ratios);
  result.reference_heap_events_per_s = median(references);
  result.ratio = median(ratios);
  result.bare_simgrid_messages_per_s = median(simgrid);
  result.simgrid_ratio = median(simgrid_ratios);
  return result;
}

std::vector<DetectionBenchmarkRun> run_detection_benchmark(
    const DetectionBenchmarkSettings& settings) {
  constexpr std::uint64_t kReferenceEvents = 3000000;
  std::vector<DetectionBenchmarkRun> runs;
  for (const std::uint32_t deaths : {0U, std::min(kDeathsAtOnce, settings.daemons / 4)}) {
    const Scenario scenario = detection_scenario(settings, deaths);
    DetectionBenchmarkRun run{.deaths = deaths};
    std::vector<double> times;
    std::vector<double> rates;
    std::vector<double> references;
    std::vector<double> ratios;
    for (unsigned round = 0; round < settings.rounds; ++round) {
      const Measurement engine = in_own_process([&] { return measure_detector(scenario); });
      const Measurement reference =
          in_own_process([&] { return measure_reference(settings.daemons, kReferenceEvents); });
      run.messages = static_cast<std::uint64_t>(engine[1]);
      run.events = static_cast<std::uint64_t>(engine[2]);
      run.peak_rss_bytes = std::max(run.peak_rss_bytes, static_cast<std::int64_t>(engine[3]));
      times.push_back(engine[0]);
      rates.push_back(engine[1] / engine[0]);
      references.push_back(reference[0]);
      ratios.push_back(rates.back() / reference[0]);
    }
    run.spent_s = median(times);
    run.messages_per_s = median(rates);
    run.reference_heap_events_per_s = median(references);
    run.ratio = median(ratios);
    runs.push_back(run);
  }
  return runs;
}

std::vector<TransactionsBenchmarkRun> run_transactions_benchmark(
    const TransactionsBenchmarkSettings& settings) {
  if (find_registration(Family::transactions, settings.transactions) == nullptr)
    throw UsageError("bench: --transactions: there is no protocol " +
                     visible(settings.transactions));
  const Scenario bare = program_scenario(settings, "", kNever);
  const Scenario quiet = program_scenario(settings, settings.transactions, kNever);
  const Scenario traffic = traffic_scenario(settings);
  constexpr std::array<std::uint32_t, 2> kDeaths{0, 1};
  std::array<std::vector<TransactionsBenchmarkRun>, kDeaths.size()> rounds;
  for (unsigned round = 0; round < settings.rounds; ++round) {
    const Measurement alone = in_own_process([&] { return measure_job(bare, bare); });
    const Measurement plain = in_own_process([&] { return measure_job(traffic, traffic); });
    for (std::size_t kind = 0; kind < kDeaths.size(); ++kind) {
      const double death_s = kDeaths[kind] == 0 ? kNever : alone[4] / 2.0;
      const Scenario scenario = program_scenario(settings, settings.transactions, death_s);
      const Measurement whole = in_own_process([&] { return measure_job(scenario, quiet); });
      TransactionsBenchmarkRun run{.deaths = kDeaths[kind],
                                   .iterations = iterations_of(settings),
                                   .messages = static_cast<std::uint64_t>(whole[1]),
                                   .spent_s = whole[0],
                                   .messages_per_s = whole[1] / whole[0],
                                   .bare_messages_per_s = alone[1] / alone[0],
                                   .traffic_messages_per_s = plain[1] / plain[0],
                                   .peak_rss_bytes = static_cast<std::int64_t>(whole[2]),
                                   .bytes_per_process = whole[3] / settings.processes};
      run.layer_ratio = run.messages_per_s / run.bare_messages_per_s;
      run.traffic_ratio = run.messages_per_s / run.traffic_messages_per_s;
      rounds[kind].push_back(run);
    }
  }
  std::vector<TransactionsBenchmarkRun> runs;
  runs.reserve(rounds.size());
  for (const auto& of_kind : rounds) runs.push_back(median_of(of_kind));
  return runs;
}

}  // namespace faultline
