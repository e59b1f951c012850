// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/benchmark.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <queue>
#include <utility>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "analysis/runs/worker_process.hpp"
#include "sim/core/error.hpp"
#include "sim/core/random.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::runs {

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
        for (const double number : measure()) write(json::shortest(number));
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
void warm_up(const scenario::Scenario& scenario) {
  scenario::RunSpec small = scenario.points[0];
  small.platform.processes = 16;
  small.stop.events = 1000;
  OptionValues& options = small.components[static_cast<std::size_t>(Family::workload)].options;
  if (options.contains("tokens")) options["tokens"] = std::int64_t{16};
  engine::run_simulation(small, scenario.engine, scenario.seed, 0);
}

Measurement measure_engine(const scenario::Scenario& scenario) {
  if (scenario.engine == scenario::EngineKind::loggp)
    warm_up(scenario);  // SimGrid runs once in a process
  const auto before = static_cast<double>(peak_rss_bytes());
  const engine::RunResult result =
      engine::run_simulation(scenario.points[0], scenario.engine, scenario.seed, 0);
  const double messages = *result.metrics.values().at("application_messages");
  const double control = *result.metrics.values().at("control_messages");
  const double spent_s = result.wall_s - result.setup_s;
  const auto peak = static_cast<double>(peak_rss_bytes());
  return {messages / spent_s, peak, peak - before, (messages + control) / spent_s, messages};
}

platform::Machine machine_named(const std::string& name) {
  try {
    return scenario::load_machine(name, "");
  } catch (const UsageError& error) {
    throw UsageError("bench: --machine: " + std::string(error.what()));
  }
}

void check_processes(std::uint32_t processes, std::uint64_t most, const std::string& of_what) {
  if (processes > most)
    throw UsageError("bench: --processes: expected at most " + std::to_string(most) + ", the " +
                     of_what + ", got " + std::to_string(processes));
}

platform::Machine machine_of(const BenchmarkSettings& settings) {
  platform::Machine machine = machine_named(settings.machine);
  check_processes(settings.processes,
                  std::uint64_t{machine.nodes} * machine.hardware_threads_per_node,
                  "hardware threads of " + machine.name);
  return machine;
}

json::JsonValue integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// The scenario `bench` on this machine, with these further members.
json::JsonValue scenario_on(const std::string& machine, std::uint32_t processes,
                            std::uint32_t per_node, json::JsonValue::Object members) {
  json::JsonValue scenario = json::json_object(
      {{"schema_version", 1},
       {"name", "bench"},
       {"platform", json::json_object({{"machine", machine},
                                       {"processes", integer(processes)},
                                       {"processes_per_node", integer(per_node)}})}});
  for (json::JsonMember& member : members) scenario.set(member.key, std::move(member.value));
  return scenario;
}

/// Adds a component, if there is one of that name.
void add_component(json::JsonValue& scenario, const char* family, const std::string& name) {
  if (!name.empty()) scenario.set(family, json::json_object({{"name", name}}));
}

json::JsonValue stop_when(const char* when, double time_s) {
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 53;
  return json::json_object({{"when", when}, {"time_s", time_s}, {"events", kNoLimit}});
}

json::JsonValue uniform_traffic(std::uint64_t tokens, std::uint64_t hops) {
  return json::json_object(
      {{"name", "uniform-traffic"}, {"tokens", integer(tokens)}, {"hops", integer(hops)}});
}

scenario::Scenario checked(const json::JsonValue& scenario) {
  json::Problems problems("bench");
  return scenario::read_scenario(scenario, problems);
}

/// What is measured: uniform traffic, or what has a state to be logged for.
json::JsonValue workload_of(const BenchmarkSettings& settings) {
  const auto rounds_of = [&](std::uint64_t messages) {
    return std::max<std::uint64_t>(1, (settings.messages + messages - 1) / messages);
  };
  if (settings.message_logging.empty())
    return uniform_traffic(settings.in_flight, rounds_of(settings.in_flight));
  constexpr std::uint64_t kNeighbours = 6;
  return json::json_object(
      {{"name", "stencil"},
       {"preset", "jacobi3d"},
       {"objects_per_process", integer(kBenchmarkObjects)},
       {"iterations", integer(rounds_of(kNeighbours * kBenchmarkObjects * settings.processes))}});
}

/// `with_protocols`: without them it is the bare traffic.
scenario::Scenario benchmark_scenario(const BenchmarkSettings& settings, bool with_protocols) {
  const platform::Machine machine = machine_of(settings);
  // Under message logging nodes have shared NICs, in whose queue its messages overtake others. The
  // bare traffic has them if a node has several processes.
  const std::uint32_t per_node = settings.message_logging.empty()
                                     ? (settings.processes + machine.nodes - 1) / machine.nodes
                                     : machine.hardware_threads_per_node;
  const char* end = !settings.message_logging.empty()                 ? "finished"
                    : with_protocols && !settings.termination.empty() ? "announced"
                                                                      : "time";
  json::JsonValue scenario = scenario_on(settings.machine, settings.processes, per_node,
                                         {{"engine", scenario::word_of(settings.engine)},
                                          {"workload", workload_of(settings)},
                                          {"stop", stop_when(end, 1e9)}});
  if (with_protocols) {
    add_component(scenario, "termination", settings.termination);
    add_component(scenario, "message_logging", settings.message_logging);
  }
  return checked(scenario);
}

/// SimGrid's own rate. Which way to send is faster depends on how many messages are in flight, so
/// both are measured, and the faster one counts.
double measure_bare_simgrid(const scenario::Scenario& scenario, const BenchmarkSettings& settings) {
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

/// The detector with those options of the benchmark that it has.
json::JsonValue detector_of(const DetectionBenchmarkSettings& settings) {
  const Registration* detector =
      find_registration(Family::failure_detection, settings.failure_detection);
  if (detector == nullptr)
    throw UsageError("bench: --failure-detection: there is no failure detector " +
                     visible(settings.failure_detection));
  json::JsonValue json = json::json_object({{"name", detector->name}});
  for (const OptionSpec& option : detector->options) {
    if (option.name == "heartbeat_period_s") json.set("heartbeat_period_s", kBenchmarkPeriod_s);
    if (option.name == "timeout_s") json.set("timeout_s", kBenchmarkTimeout_s);
    if (option.name == "members") json.set("members", "daemons");
  }
  return json;
}

/// A fault at this moment, of these ranks or nodes.
json::JsonValue fault_at(double time_s, const char* victims, json::JsonValue::List numbers) {
  return json::json_object({{"at", json::JsonValue::List{json::json_object(
                                       {{"time_s", time_s}, {victims, std::move(numbers)}})}}});
}

scenario::Scenario detection_scenario(const DetectionBenchmarkSettings& settings,
                                      std::uint32_t deaths) {
  const platform::Machine machine = machine_named(settings.machine);
  check_processes(settings.daemons, machine.nodes, "nodes of " + machine.name);
  json::JsonValue scenario = scenario_on(settings.machine, settings.daemons, 1,
                                         {{"workload", uniform_traffic(1, 1)},
                                          {"failure_detection", detector_of(settings)},
                                          {"stop", stop_when("time", settings.simulated_s)}});
  scenario.find("platform")->set("silent_link_lost_delay_s", kBenchmarkSilence_s);
  // The dead are spread over the job, so that each is found by itself.
  json::JsonValue::List dead;
  for (std::uint64_t death = 0; death < deaths; ++death)
    dead.push_back(integer(death * settings.daemons / deaths));
  if (deaths > 0)
    scenario.set("faults", fault_at(settings.simulated_s / 2.0, "nodes", std::move(dead)));
  return checked(scenario);
}

Measurement measure_detector(const scenario::Scenario& scenario) {
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
json::JsonValue job_of(const TransactionsBenchmarkSettings& settings,
                       json::JsonValue::Object members) {
  const platform::Machine machine = machine_named(settings.machine);
  check_processes(settings.processes,
                  std::uint64_t{machine.nodes - 1} * machine.hardware_threads_per_node,
                  "hardware threads of " + machine.name + " but for a spare node");
  json::JsonValue scenario = scenario_on(settings.machine, settings.processes,
                                         machine.hardware_threads_per_node, std::move(members));
  scenario.find("platform")->set("spare_nodes", 1);
  return scenario;
}

/// Minife under a protocol, or under none (""), in which a rank dies at that time, or none (never).
scenario::Scenario program_scenario(const TransactionsBenchmarkSettings& settings,
                                    const std::string& transactions, double death_s) {
  json::JsonValue scenario =
      job_of(settings,
             {{"workload", json::json_object({{"name", "minife"},
                                              {"nx", 2000},
                                              {"ny", 1000},
                                              {"nz", 1000},
                                              {"iterations", integer(iterations_of(settings))}})},
              {"failure_detection", json::json_object({{"name", "oracle"}})},
              {"stop", json::json_object({{"when", "finished"}, {"time_s", 1e9}})}});
  add_component(scenario, "transactions", transactions);
  if (death_s != kNever)
    scenario.set("faults", fault_at(death_s, "ranks", {integer(settings.processes / 2)}));
  return checked(scenario);
}

scenario::Scenario traffic_scenario(const TransactionsBenchmarkSettings& settings) {
  return checked(job_of(
      settings, {{"workload",
                  uniform_traffic(settings.processes, 1 + settings.messages / settings.processes)},
                 {"stop", json::json_object({{"when", "time"}, {"time_s", 1e9}})}}));
}

/// `small` is warmed up with.
Measurement measure_job(const scenario::Scenario& scenario, const scenario::Scenario& small) {
  warm_up(small);
  const auto before = static_cast<double>(peak_rss_bytes());
  const engine::RunResult result =
      engine::run_simulation(scenario.points[0], scenario.engine, scenario.seed, 0);
  const auto values = result.metrics.values();
  const double messages = *values.at("application_messages") + *values.at("control_messages");
  const auto peak = static_cast<double>(peak_rss_bytes());
  return {result.wall_s - result.setup_s, messages, peak, peak - before, *values.at("end_time_s")};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// What is measured as the median over the rounds, and memory as the most that was needed.
template <class Run>
Run median_of(const std::vector<Run>& rounds, std::initializer_list<double Run::*> measured) {
  Run result = rounds.back();
  for (double Run::*const number : measured) {
    std::vector<double> values;
    values.reserve(rounds.size());
    for (const Run& round : rounds) values.push_back(round.*number);
    result.*number = median(std::move(values));
  }
  for (const Run& round : rounds) {
    result.peak_rss_bytes = std::max(result.peak_rss_bytes, round.peak_rss_bytes);
    if constexpr (requires { round.bytes_per_process; })
      result.bytes_per_process = std::max(result.bytes_per_process, round.bytes_per_process);
  }
  return result;
}

}  // namespace

BenchmarkResult run_benchmark(const BenchmarkSettings& settings) {
  const scenario::Scenario scenario = benchmark_scenario(settings, true);
  const scenario::Scenario bare_scenario = benchmark_scenario(settings, false);
  const bool has_protocol = !settings.termination.empty() || !settings.message_logging.empty();
  std::vector<BenchmarkResult> rounds(settings.rounds);
  for (BenchmarkResult& round : rounds) {
    const Measurement engine = in_own_process([&] { return measure_engine(scenario); });
    const Measurement reference =
        in_own_process([&] { return measure_reference(settings.in_flight, settings.messages); });
    round.messages = static_cast<std::uint64_t>(engine[4]);
    round.messages_per_s = engine[0];
    round.carried_messages_per_s = engine[3];
    round.reference_heap_events_per_s = reference[0];
    round.ratio = engine[0] / reference[0];
    if (has_protocol) {
      round.bare_messages_per_s = in_own_process([&] { return measure_engine(bare_scenario); })[0];
      round.layer_ratio = engine[3] / round.bare_messages_per_s;
    }
    if (settings.engine == scenario::EngineKind::simgrid) {
      round.bare_simgrid_messages_per_s = measure_bare_simgrid(scenario, settings);
      round.simgrid_ratio = engine[0] / round.bare_simgrid_messages_per_s;
    }
    round.peak_rss_bytes = static_cast<std::int64_t>(engine[1]);
    round.bytes_per_process = engine[2] / settings.processes;
  }
  using Run = BenchmarkResult;
  return median_of(rounds,
                   {&Run::messages_per_s, &Run::carried_messages_per_s, &Run::bare_messages_per_s,
                    &Run::layer_ratio, &Run::reference_heap_events_per_s, &Run::ratio,
                    &Run::bare_simgrid_messages_per_s, &Run::simgrid_ratio});
}

std::vector<DetectionBenchmarkRun> run_detection_benchmark(
    const DetectionBenchmarkSettings& settings) {
  constexpr std::uint64_t kReferenceEvents = 3000000;
  using Run = DetectionBenchmarkRun;
  std::vector<Run> runs;
  for (const std::uint32_t deaths : {0U, std::min(kDeathsAtOnce, settings.daemons / 4)}) {
    const scenario::Scenario scenario = detection_scenario(settings, deaths);
    std::vector<Run> rounds(settings.rounds);
    for (Run& round : rounds) {
      const Measurement engine = in_own_process([&] { return measure_detector(scenario); });
      const Measurement reference =
          in_own_process([&] { return measure_reference(settings.daemons, kReferenceEvents); });
      round.deaths = deaths;
      round.messages = static_cast<std::uint64_t>(engine[1]);
      round.events = static_cast<std::uint64_t>(engine[2]);
      round.peak_rss_bytes = static_cast<std::int64_t>(engine[3]);
      round.spent_s = engine[0];
      round.messages_per_s = engine[1] / engine[0];
      round.reference_heap_events_per_s = reference[0];
      round.ratio = round.messages_per_s / reference[0];
    }
    runs.push_back(median_of(rounds, {&Run::spent_s, &Run::messages_per_s,
                                      &Run::reference_heap_events_per_s, &Run::ratio}));
  }
  return runs;
}

std::vector<TransactionsBenchmarkRun> run_transactions_benchmark(
    const TransactionsBenchmarkSettings& settings) {
  if (find_registration(Family::transactions, settings.transactions) == nullptr)
    throw UsageError("bench: --transactions: there is no protocol " +
                     visible(settings.transactions));
  const scenario::Scenario bare = program_scenario(settings, "", kNever);
  const scenario::Scenario quiet = program_scenario(settings, settings.transactions, kNever);
  const scenario::Scenario traffic = traffic_scenario(settings);
  constexpr std::array<std::uint32_t, 2> kDeaths{0, 1};
  std::array<std::vector<TransactionsBenchmarkRun>, kDeaths.size()> rounds;
  for (unsigned round = 0; round < settings.rounds; ++round) {
    const Measurement alone = in_own_process([&] { return measure_job(bare, bare); });
    const Measurement plain = in_own_process([&] { return measure_job(traffic, traffic); });
    for (std::size_t kind = 0; kind < kDeaths.size(); ++kind) {
      const double death_s = kDeaths[kind] == 0 ? kNever : alone[4] / 2.0;
      const scenario::Scenario scenario =
          program_scenario(settings, settings.transactions, death_s);
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
  using Run = TransactionsBenchmarkRun;
  for (const auto& of_kind : rounds)
    runs.push_back(
        median_of(of_kind, {&Run::spent_s, &Run::messages_per_s, &Run::bare_messages_per_s,
                            &Run::layer_ratio, &Run::traffic_messages_per_s, &Run::traffic_ratio}));
  return runs;
}

}  // namespace faultline::runs
