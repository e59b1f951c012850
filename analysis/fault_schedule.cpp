#include "analysis/fault_schedule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/core/random.hpp"
#include "sim/core/registry.hpp"
#include "sim/scenario/json_value.hpp"

namespace faultline {

namespace {

constexpr std::uint32_t kNodes = 8;
constexpr double kBandwidth_Bps = 1e9;

/// Evenly in its logarithm.
double spread(Stream& random, double least, double most) {
  return least * std::pow(most / least, random.uniform());
}

/// When the next death strikes: with the last one, soon after it, or anywhere in the run.
FaultSpec draw_moment(Stream& random, const FaultSchedule& schedule) {
  FaultSpec fault;
  if (random.chance(0.5)) {
    fault.event = 1 + random.below(10 * (std::uint64_t{1} + schedule.work));
  } else {
    const double step_s = schedule.compute_s + schedule.latency_s + 2 * schedule.overhead_s;
    fault.time_s = random.uniform() * step_s * (2 + schedule.work);
  }
  return fault;
}

void draw_faults(Stream& random, FaultSchedule& schedule) {
  std::vector<Rank> alive;
  for (Rank rank = random.chance(0.05) ? 0 : 1; rank < schedule.processes; ++rank)
    alive.push_back(rank);
  const std::uint64_t deaths = 1 + random.below(3);
  for (std::uint64_t death = 0; death < deaths && !alive.empty(); ++death) {
    const std::uint64_t victim = random.below(alive.size());
    auto& faults = schedule.faults;
    const double manner = random.uniform();
    if (faults.empty() || manner < 0.3) {
      faults.push_back(draw_moment(random, schedule));
    } else if (manner < 0.65) {
      FaultSpec soon = faults.back();
      soon.ranks.clear();
      if (soon.event) *soon.event += 1 + random.below(20);
      if (soon.time_s)
        *soon.time_s += (schedule.notice_s + 4 * schedule.latency_s) * random.uniform();
      faults.push_back(std::move(soon));
    }
    faults.back().ranks.push_back(alive[victim]);
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(victim));
  }
}

Machine machine_of(const FaultSchedule& schedule) {
  Machine machine;
  machine.name = "small";
  machine.topology = Crossbar{kNodes};
  machine.nodes = kNodes;
  machine.cores_per_node = machine.hardware_threads_per_node = 4;
  machine.send_overhead_s = machine.receive_overhead_s = schedule.overhead_s;
  machine.gap_s = schedule.gap_s;
  machine.nic_bandwidth_Bps = machine.link_bandwidth_Bps = kBandwidth_Bps;
  machine.nic_latency_s = schedule.latency_s;
  machine.hop_latency_s = 0;
  machine.local_latency_s = schedule.latency_s / 4;
  machine.local_bandwidth_Bps = 10 * kBandwidth_Bps;
  return machine;
}

OptionValues workload_options(const FaultSchedule& schedule) {
  const auto work = static_cast<std::int64_t>(schedule.work);
  const auto width = static_cast<std::int64_t>(schedule.width);
  if (schedule.workload == "token-ring")
    return {{"walk_length", work},
            {"branch_probability", static_cast<double>(width) / 8},
            {"step_compute_s", schedule.compute_s},
            {"leaf_compute_s", 4 * schedule.compute_s},
            {"bytes", std::int64_t{64}}};
  if (schedule.workload == "uniform-traffic")
    return {{"tokens", width},
            {"hops", work},
            {"compute_s", schedule.compute_s},
            {"bytes", std::int64_t{64}}};
  return {{"minimum_height", std::min(work, std::int64_t{3})},
          {"maximum_height", std::min(work, std::int64_t{5})},
          {"task_mapping", "random"},
          {"task_compute_s", schedule.compute_s}};
}

ComponentChoice choice(Family family, const std::string& name, const OptionValues& changes) {
  ComponentChoice chosen{find_registration(family, name), {}};
  for (const OptionSpec& option : chosen.registration->options)
    chosen.options[option.name] = option.default_value;
  for (const auto& [option, value] : changes) chosen.options.at(option) = value;
  return chosen;
}

OptionValues notice_options(const FaultSchedule& schedule) {
  return {{"delay_s", schedule.notice_s}};
}

JsonValue to_json_value(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return {};
}

JsonValue component_json(const std::string& name, const OptionValues& options) {
  JsonValue json = json_object({{"name", name}});
  for (const auto& [option, value] : options) json.set(option, to_json_value(value));
  return json;
}

JsonValue fault_json(const FaultSpec& fault) {
  JsonValue json = json_object({});
  if (fault.time_s) json.set("time_s", *fault.time_s);
  if (fault.event) json.set("event", static_cast<std::int64_t>(*fault.event));
  JsonValue::List ranks;
  for (const Rank rank : fault.ranks) ranks.emplace_back(std::int64_t{rank});
  json.set("ranks", std::move(ranks));
  return json;
}

JsonValue machine_json(const Machine& machine) {
  JsonValue json = json_object({{"schema_version", 1},
                                {"name", machine.name},
                                {"description", "made up by the search for counterexamples"},
                                {"topology", json_object({{"kind", "crossbar"},
                                                          {"nodes", std::int64_t{machine.nodes}},
                                                          {"status", "estimated"},
                                                          {"source", "made up"}})}});
  const auto set = [&json](const char* name, JsonValue value, const char* unit) {
    json.set(name, json_object({{"value", std::move(value)},
                                {"unit", unit},
                                {"status", "estimated"},
                                {"source", "made up"}}));
  };
  set("nodes", std::int64_t{machine.nodes}, "nodes");
  set("cores_per_node", std::int64_t{machine.cores_per_node}, "cores");
  set("hardware_threads_per_node", std::int64_t{machine.hardware_threads_per_node}, "threads");
  set("send_overhead_s", machine.send_overhead_s, "s");
  set("receive_overhead_s", machine.receive_overhead_s, "s");
  set("gap_s", machine.gap_s, "s");
  set("nic_bandwidth_Bps", machine.nic_bandwidth_Bps, "B/s");
  set("nic_latency_s", machine.nic_latency_s, "s");
  set("hop_latency_s", machine.hop_latency_s, "s");
  set("link_bandwidth_Bps", machine.link_bandwidth_Bps, "B/s");
  set("local_latency_s", machine.local_latency_s, "s");
  set("local_bandwidth_Bps", machine.local_bandwidth_Bps, "B/s");
  return json;
}

/// Without the ranks that the job no longer has, and without faults that strike nobody.
void fit_faults(FaultSchedule& schedule) {
  for (FaultSpec& fault : schedule.faults)
    std::erase_if(fault.ranks, [&](Rank rank) { return rank >= schedule.processes; });
  std::erase_if(schedule.faults, [](const FaultSpec& fault) { return fault.ranks.empty(); });
}

constexpr StopSpec kStop{
    .when = StopWhen::announced, .grace_s = 0.05, .time_s = 10.0, .events = 200000};

}  // namespace

FaultSchedule draw_schedule(std::uint64_t number) {
  Stream random(number, 0, Purpose::faults, 0);
  FaultSchedule schedule;
  schedule.seed = number;
  schedule.processes = 3 + static_cast<std::uint32_t>(random.below(6));
  schedule.processes_per_node = 1 + static_cast<std::uint32_t>(random.below(3));
  const std::array<const char*, 3> workloads{"token-ring", "uniform-traffic", "random-tree"};
  schedule.workload = workloads[random.below(workloads.size())];
  schedule.work = 2 + static_cast<std::uint32_t>(random.below(random.chance(0.5) ? 6 : 25));
  schedule.width = 1 + static_cast<std::uint32_t>(random.below(schedule.processes));
  schedule.compute_s = spread(random, 1e-6, 1e-4);
  schedule.overhead_s = spread(random, 1e-7, 4e-6);
  schedule.latency_s = spread(random, 3e-7, 3e-5);
  schedule.gap_s = spread(random, 1e-7, 1e-5);
  schedule.notice_s = spread(random, 1e-7, 1e-4);
  if (random.chance(0.5)) schedule.reordering_s = spread(random, 1e-6, 5e-5);
  draw_faults(random, schedule);
  return schedule;
}

std::vector<FaultSchedule> simpler_schedules(const FaultSchedule& schedule) {
  std::vector<FaultSchedule> simpler;
  const auto propose = [&](auto change) {
    FaultSchedule changed = schedule;
    change(changed);
    fit_faults(changed);
    simpler.push_back(std::move(changed));
  };
  for (std::size_t fault = 0; fault < schedule.faults.size(); ++fault)
    for (std::size_t victim = 0; victim < schedule.faults[fault].ranks.size(); ++victim)
      propose([=](FaultSchedule& s) {
        auto& ranks = s.faults[fault].ranks;
        ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(victim));
      });
  if (schedule.processes > 2) propose([](FaultSchedule& s) { --s.processes; });
  if (schedule.work > 1) propose([](FaultSchedule& s) { s.work /= 2; });
  if (schedule.work > 1) propose([](FaultSchedule& s) { --s.work; });
  if (schedule.width > 1) propose([](FaultSchedule& s) { --s.width; });
  if (schedule.reordering_s > 0) propose([](FaultSchedule& s) { s.reordering_s = 0; });
  if (schedule.processes_per_node > 1) propose([](FaultSchedule& s) { s.processes_per_node = 1; });
  return simpler;
}

RunSpec run_spec(const FaultSchedule& schedule, const Subject& subject) {
  RunSpec spec;
  spec.platform.machine = machine_of(schedule);
  spec.platform.processes = schedule.processes;
  spec.platform.processes_per_node = schedule.processes_per_node;
  if (schedule.reordering_s > 0) {
    spec.platform.ordering = Ordering::unordered;
    spec.platform.unordered_delay_s = schedule.reordering_s;
  }
  spec.components[0] = choice(Family::workload, schedule.workload, workload_options(schedule));
  spec.components[1] = choice(Family::termination, subject.name, subject.options);
  spec.components[3] = choice(Family::failure_detection, "oracle", notice_options(schedule));
  spec.faults = schedule.faults;
  spec.stop = kStop;
  return spec;
}

ReplayFiles replay_files(const FaultSchedule& schedule, const Subject& subject, EngineKind engine,
                         const std::string& title, const std::string& machine_file) {
  JsonValue platform =
      json_object({{"machine", machine_file},
                   {"processes", std::int64_t{schedule.processes}},
                   {"processes_per_node", std::int64_t{schedule.processes_per_node}}});
  if (schedule.reordering_s > 0) {
    platform.set("ordering", "unordered");
    platform.set("unordered_delay_s", schedule.reordering_s);
  }
  JsonValue::List faults;
  for (const FaultSpec& fault : schedule.faults) faults.push_back(fault_json(fault));
  const JsonValue scenario =
      json_object({{"schema_version", 1},
                   {"name", title},
                   {"engine", engine == EngineKind::loggp ? "loggp" : "simgrid"},
                   {"seed", static_cast<std::int64_t>(schedule.seed)},
                   {"platform", std::move(platform)},
                   {"workload", component_json(schedule.workload, workload_options(schedule))},
                   {"termination", component_json(subject.name, subject.options)},
                   {"failure_detection", component_json("oracle", notice_options(schedule))},
                   {"faults", json_object({{"at", std::move(faults)}})},
                   {"stop", json_object({{"when", "announced"},
                                         {"grace_s", kStop.grace_s},
                                         {"time_s", kStop.time_s},
                                         {"events", static_cast<std::int64_t>(kStop.events)}})}});
  return {to_json(scenario, 2) + "\n", to_json(machine_json(machine_of(schedule)), 2) + "\n"};
}

}  // namespace faultline
