// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/fault_schedule.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/lemmas/workload_options.hpp"
#include "sim/core/registry.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::lemmas {

namespace {

constexpr std::uint32_t kNodes = 64;
constexpr double kBandwidth_Bps = 1e9;

platform::Machine machine_of(const FaultSchedule& schedule) {
  platform::Machine machine;
  machine.name = "small";
  machine.topology = platform::Crossbar{kNodes};
  machine.nodes = kNodes;
  machine.cores_per_node = machine.hardware_threads_per_node = 64;
  machine.send_overhead_s = machine.receive_overhead_s = schedule.overhead_s;
  machine.gap_s = schedule.gap_s;
  machine.nic_bandwidth_Bps = machine.link_bandwidth_Bps = kBandwidth_Bps;
  machine.nic_latency_s = schedule.latency_s;
  machine.hop_latency_s = 0;
  machine.local_latency_s = schedule.latency_s / 4;
  machine.local_bandwidth_Bps = 10 * kBandwidth_Bps;
  return machine;
}

scenario::ComponentChoice choice(Family family, const std::string& name,
                                 const OptionValues& changes) {
  scenario::ComponentChoice chosen{find_registration(family, name), {}};
  for (const OptionSpec& option : chosen.registration->options)
    chosen.options[option.name] = option.default_value;
  for (const auto& [option, value] : changes) chosen.options.at(option) = value;
  return chosen;
}

json::JsonValue to_json_value(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* words = std::get_if<ChosenWords>(&value))
    return json::JsonValue::List(words->begin(), words->end());
  return {};
}

json::JsonValue component_json(const std::string& name, const OptionValues& options) {
  json::JsonValue json = json::json_object({{"name", name}});
  for (const auto& [option, value] : options) json.set(option, to_json_value(value));
  return json;
}

json::JsonValue fault_json(const faults::FaultSpec& fault) {
  json::JsonValue json = json::json_object({});
  if (fault.time_s) json.set("time_s", *fault.time_s);
  if (fault.event) json.set("event", static_cast<std::int64_t>(*fault.event));
  if (fault.mark)
    json.set("mark", json::json_object({{"name", fault.mark->name}, {"value", fault.mark->value}}));
  const auto set = [&json](const char* name, const std::vector<std::uint32_t>& victims) {
    json::JsonValue::List list;
    for (const std::uint32_t victim : victims) list.emplace_back(std::int64_t{victim});
    if (!victims.empty()) json.set(name, std::move(list));
  };
  set("ranks", fault.ranks);
  set("nodes", fault.nodes);
  set("daemons", fault.daemons);
  if (fault.soft) json.set("soft", true);
  if (fault.stall_s > 0) json.set("stall_s", fault.stall_s);
  return json;
}

json::JsonValue ids_json(const std::vector<std::uint32_t>& ids) {
  json::JsonValue::List list;
  for (const std::uint32_t id : ids) list.emplace_back(std::int64_t{id});
  return list;
}

void add_window(json::JsonValue& json, double from_s, double to_s) {
  json.set("from_s", from_s);
  if (to_s != kNever) json.set("to_s", to_s);
}

json::JsonValue faults_json(const FaultSchedule& schedule) {
  json::JsonValue::List at;
  for (const faults::FaultSpec& fault : schedule.faults) at.push_back(fault_json(fault));
  json::JsonValue json = json::json_object({{"at", std::move(at)}});
  json::JsonValue::List partitions;
  for (const faults::PartitionSpec& partition : schedule.partitions) {
    json::JsonValue::List groups;
    for (const auto& group : partition.groups) groups.push_back(ids_json(group));
    partitions.push_back(
        json::json_object({{partition.of_ranks ? "ranks" : "nodes", std::move(groups)}}));
    add_window(partitions.back(), partition.from_s, partition.to_s);
  }
  if (!partitions.empty()) json.set("partition", std::move(partitions));
  json::JsonValue::List slow;
  for (const faults::SlowSpec& one : schedule.slow) {
    slow.push_back(json::json_object({{"nodes", ids_json(one.nodes)}, {"factor", one.factor}}));
    add_window(slow.back(), one.from_s, one.to_s);
  }
  if (!slow.empty()) json.set("slow", std::move(slow));
  return json;
}

/// Adds the values of a schedule that differ from the defaults.
void add_disturbances(json::JsonValue& platform, const FaultSchedule& schedule) {
  const scenario::PlatformSpec usual;
  const auto set = [&platform](const char* key, double value, double otherwise) {
    if (value != otherwise) platform.set(key, value);
  };
  set("local_exit_delay_s", schedule.exit_delay_s, usual.local_exit_delay_s);
  set("link_lost_delay_s", schedule.exit_delay_s, usual.link_lost_delay_s);
  set("silent_link_lost_delay_s", schedule.silent_loss_s, usual.silent_link_lost_delay_s);
  set("start_delay_s", schedule.start_delay_s, 0.0);
  set("restart_delay_s", schedule.restart_delay_s, 0.0);
  if (schedule.spare_nodes > 0) platform.set("spare_nodes", std::int64_t{schedule.spare_nodes});
  set("detection_loss_probability", schedule.loss_probability, 0.0);
  if (schedule.delay_noise_s > 0)
    platform.set("delay_noise",
                 json::json_object({{"law", "exponential"}, {"mean_s", schedule.delay_noise_s}}));
  if (schedule.os_noise)
    platform.set("os_noise", json::json_object({{"interval_s", schedule.os_noise->interval_s},
                                                {"length_s", schedule.os_noise->length_s}}));
}

json::JsonValue machine_json(const platform::Machine& machine) {
  json::JsonValue json =
      json::json_object({{"schema_version", 1},
                         {"name", machine.name},
                         {"description", "made up by the search for counterexamples"},
                         {"topology", json::json_object({{"kind", "crossbar"},
                                                         {"nodes", std::int64_t{machine.nodes}},
                                                         {"status", "estimated"},
                                                         {"source", "made up"}})}});
  const auto set = [&json](const char* name, json::JsonValue value, const char* unit) {
    json.set(name, json::json_object({{"value", std::move(value)},
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

/// Removes ranks and nodes that the job no longer has from the faults, and then faults without
/// victims.
void fit_faults(FaultSchedule& schedule) {
  const NodeId nodes = nodes_of(schedule);
  for (faults::FaultSpec& fault : schedule.faults) {
    std::erase_if(fault.ranks, [&](Rank rank) { return rank >= schedule.processes; });
    std::erase_if(fault.nodes, [&](NodeId node) { return node >= nodes + schedule.spare_nodes; });
    std::erase_if(fault.daemons, [=](NodeId node) { return node >= nodes; });
  }
  std::erase_if(schedule.faults, [](const faults::FaultSpec& fault) {
    return fault.ranks.empty() && fault.nodes.empty() && fault.daemons.empty();
  });
  for (faults::PartitionSpec& partition : schedule.partitions) {
    const std::uint32_t end = partition.of_ranks ? schedule.processes : nodes;
    for (auto& group : partition.groups)
      std::erase_if(group, [=](std::uint32_t member) { return member >= end; });
    std::erase_if(partition.groups, [](const auto& group) { return group.empty(); });
  }
  std::erase_if(schedule.partitions,
                [](const faults::PartitionSpec& partition) { return partition.groups.size() < 2; });
  for (faults::SlowSpec& one : schedule.slow)
    std::erase_if(one.nodes, [=](NodeId node) { return node >= nodes; });
  std::erase_if(schedule.slow, [](const faults::SlowSpec& one) { return one.nodes.empty(); });
}

template <class List>
void without(List& list, std::size_t place) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
}

/// True if a scenario could state this program of TryBlocks under these options of transactions.
bool fits_transactions(const FaultSchedule& schedule) {
  const auto is = [&](const char* option, const char* value) {
    const auto set = schedule.transactions.find(option);
    return set != schedule.transactions.end() && std::get<std::string>(set->second) == value;
  };
  constexpr std::uint32_t kCube = 8;
  constexpr std::uint32_t kLargerCube = 27;
  if (schedule.workload == "lulesh-mpi" && schedule.processes != kCube &&
      schedule.processes != kLargerCube)
    return false;
  // A rank that others tell nothing waits for its requests.
  const auto timeout = schedule.transactions.find("request_timeout_s");
  if (timeout != schedule.transactions.end() && std::get<double>(timeout->second) > 1.0 &&
      !is("release", "invite"))
    return false;
  if (is("checkpoint", "partner") && nodes_of(schedule) == 1) return false;
  return schedule.has_sums || !is("scope", "with-collective");
}

/// Collects the schedules that are one step simpler than a given one.
class Simpler {
 public:
  explicit Simpler(const FaultSchedule& schedule) : schedule_(schedule) {}

  template <class Change>
  void propose(Change change) {
    FaultSchedule changed = schedule_;
    change(changed);
    fit_faults(changed);
    if (changed.checkpoint_iterations > 0 && nodes_of(changed) == 1) return;  // no keeper of images
    if (has_try_blocks(changed) && !fits_transactions(changed)) return;
    simpler_.push_back(std::move(changed));
  }

  void fault(std::size_t number) {
    const faults::FaultSpec& fault = schedule_.faults[number];
    for (std::size_t victim = 0; victim < fault.ranks.size(); ++victim)
      propose([=](FaultSchedule& s) { without(s.faults[number].ranks, victim); });
    for (std::size_t victim = 0; victim < fault.nodes.size(); ++victim)
      propose([=](FaultSchedule& s) { without(s.faults[number].nodes, victim); });
    for (std::size_t victim = 0; victim < fault.daemons.size(); ++victim)
      propose([=](FaultSchedule& s) { without(s.faults[number].daemons, victim); });
    if (!fault.nodes.empty() || !fault.daemons.empty())
      propose([=](FaultSchedule& s) {
        s.faults[number].ranks = victims_of(s, s.faults[number]);
        s.faults[number].nodes.clear();
        s.faults[number].daemons.clear();
      });
    if (!fault.time_s || *fault.time_s > 0)
      propose([=](FaultSchedule& s) {
        s.faults[number].event.reset();
        s.faults[number].mark.reset();
        s.faults[number].time_s = 0;
      });
  }

  void disturbances() {
    for (std::size_t one = 0; one < schedule_.partitions.size(); ++one)
      propose([=](FaultSchedule& s) { without(s.partitions, one); });
    for (std::size_t one = 0; one < schedule_.slow.size(); ++one)
      propose([=](FaultSchedule& s) { without(s.slow, one); });
    if (schedule_.loss_probability > 0) propose([](auto& s) { s.loss_probability = 0; });
    if (schedule_.delay_noise_s > 0) propose([](auto& s) { s.delay_noise_s = 0; });
    if (schedule_.start_delay_s > 0) propose([](auto& s) { s.start_delay_s = 0; });
    if (schedule_.os_noise) propose([](auto& s) { s.os_noise.reset(); });
    if (schedule_.until_reported) propose([](auto& s) { s.until_reported = false; });
  }

  /// Every option of the protocol that is not the default, and the program itself.
  void try_blocks() {
    for (const auto& [option, value] : schedule_.transactions) {
      if (option.starts_with("checkpoint_i")) continue;  // its interval goes with the checkpoint
      propose([option = option](FaultSchedule& s) {
        s.transactions.erase(option);
        if (option != "checkpoint") return;
        s.transactions.erase("checkpoint_iterations");
        s.transactions.erase("checkpoint_interval_s");
      });
    }
    if (schedule_.workload != "try-blocks") propose([](auto& s) { s.workload = "try-blocks"; });
    if (schedule_.has_sums) propose([](auto& s) { s.has_sums = false; });
    if (schedule_.iterations_per_block > 1) propose([](auto& s) { s.iterations_per_block = 1; });
  }

  [[nodiscard]] std::vector<FaultSchedule> take() { return std::move(simpler_); }

 private:
  const FaultSchedule& schedule_;
  std::vector<FaultSchedule> simpler_;
};

/// The time of grace begins when all work ends, since notices can come after that.
scenario::StopSpec stop_of(const FaultSchedule& schedule, const ProtocolStack& stack) {
  scenario::StopSpec stop{
      .when = stack.stop_when, .grace_s = 0.5, .time_s = 10.0, .events = 200000};
  if (!schedule.termination.empty()) stop.when = scenario::StopWhen::announced;
  constexpr double kRelaunches_s = 1000.0;  // several relaunches of the default length
  if (has_try_blocks(schedule)) {
    stop.time_s = kRelaunches_s;
    stop.events = 5000000;  // a detector may send heartbeats
  }
  if (!stack.detection) return stop;
  // Long enough for what is promised, even if the last death is a late consequence.
  const DetectionPromise promise = stack.detection(schedule);
  const bool waits = schedule.until_reported && promise.complete_after_s;
  stop.when = waits ? scenario::StopWhen::all_reported : scenario::StopWhen::time;
  stop.time_s =
      1.25 * (promise.calm_from_s + promise.complete_after_s.value_or(20 * schedule.timeout_s));
  stop.events = 5000000;
  return stop;
}

}  // namespace

double calm_from_s(const FaultSchedule& schedule) {
  double calm_s = schedule.start_delay_s;
  for (const faults::FaultSpec& fault : schedule.faults)
    calm_s = std::max(calm_s, fault.time_s.value_or(0.0));
  for (const faults::PartitionSpec& partition : schedule.partitions)
    calm_s = std::max(calm_s, partition.to_s);
  for (const faults::SlowSpec& one : schedule.slow) calm_s = std::max(calm_s, one.to_s);
  return calm_s;
}

std::uint32_t helpers_of(const FaultSchedule& schedule) {
  return std::min({schedule.helpers, schedule.objects_per_process, schedule.processes - 1});
}

std::uint32_t nodes_of(const FaultSchedule& schedule) {
  return node_of(schedule, schedule.processes - 1) + 1;
}

NodeId node_of(const FaultSchedule& schedule, Rank rank) {
  return rank / schedule.processes_per_node;
}

std::vector<Rank> victims_of(const FaultSchedule& schedule, const faults::FaultSpec& fault) {
  std::vector<Rank> victims = fault.ranks;
  for (Rank rank = 0; rank < schedule.processes; ++rank)
    for (const auto* nodes : {&fault.nodes, &fault.daemons})
      if (std::find(nodes->begin(), nodes->end(), node_of(schedule, rank)) != nodes->end())
        victims.push_back(rank);
  return victims;
}

bool strike_together(const faults::FaultSpec& one, const faults::FaultSpec& other) {
  if (one.mark && other.mark)
    return one.mark->name == other.mark->name && one.mark->value == other.mark->value;
  return one.time_s == other.time_s && one.event == other.event &&
         one.mark.has_value() == other.mark.has_value();
}

std::vector<FaultSchedule> simpler_schedules(const FaultSchedule& schedule) {
  Simpler simpler(schedule);
  for (std::size_t fault = 0; fault < schedule.faults.size(); ++fault) simpler.fault(fault);
  simpler.disturbances();
  if (has_try_blocks(schedule)) simpler.try_blocks();
  if (schedule.processes > 3) simpler.propose([](auto& s) { s.processes = s.processes / 2 + 1; });
  if (schedule.processes > 2) simpler.propose([](auto& s) { --s.processes; });
  if (schedule.work > 1) simpler.propose([](auto& s) { s.work /= 2; });
  if (schedule.work > 1) simpler.propose([](auto& s) { --s.work; });
  if (schedule.width > 3) simpler.propose([](auto& s) { s.width /= 2; });
  if (schedule.width > 1) simpler.propose([](auto& s) { --s.width; });
  if (schedule.to_itself > 0) simpler.propose([](auto& s) { s.to_itself = 0; });
  if (schedule.worker_cores > 1) simpler.propose([](auto& s) { s.worker_cores = 1; });
  if (schedule.objects_per_process > 1) {
    simpler.propose([](auto& s) { s.objects_per_process /= 2; });
    simpler.propose([](auto& s) { --s.objects_per_process; });
  }
  if (schedule.helpers > 1) simpler.propose([](auto& s) { --s.helpers; });
  if (!schedule.termination.empty()) simpler.propose([](auto& s) { s.termination.clear(); });
  if (schedule.preset != "none") simpler.propose([](auto& s) { s.preset = "none"; });
  if (schedule.restart_delay_s > 0) simpler.propose([](auto& s) { s.restart_delay_s = 0; });
  if (schedule.progress != scenario::Progress::dedicated)
    simpler.propose([](auto& s) { s.progress = scenario::Progress::dedicated; });
  if (schedule.spread_s > 0) simpler.propose([](auto& s) { s.spread_s = 0; });
  if (schedule.spread_s > 1e-6) simpler.propose([](auto& s) { s.spread_s /= 10; });
  if (schedule.notice_s > 1e-4) simpler.propose([](auto& s) { s.notice_s /= 10; });
  if (schedule.reordering_s > 0) simpler.propose([](auto& s) { s.reordering_s = 0; });
  if (schedule.processes_per_node > 1) simpler.propose([](auto& s) { s.processes_per_node = 1; });
  return simpler.take();
}

namespace {

std::map<Family, NamedComponent> components_under(const FaultSchedule& schedule,
                                                  const ProtocolStack& stack) {
  std::map<Family, NamedComponent> components = stack.components;
  if (!schedule.termination.empty()) components[Family::termination] = {schedule.termination};
  return components;
}

void disturb(scenario::RunSpec& spec, const FaultSchedule& schedule) {
  scenario::PlatformSpec& platform = spec.platform;
  platform.local_exit_delay_s = platform.link_lost_delay_s = schedule.exit_delay_s;
  platform.silent_link_lost_delay_s = schedule.silent_loss_s;
  platform.start_delay_s = schedule.start_delay_s;
  platform.restart_delay_s = schedule.restart_delay_s;
  platform.spare_nodes = schedule.spare_nodes;
  platform.detection_loss_probability = schedule.loss_probability;
  if (schedule.delay_noise_s > 0)
    platform.delay_noise = scenario::DelayNoise{.mean_s = schedule.delay_noise_s};
  platform.os_noise = schedule.os_noise;
  spec.partitions = schedule.partitions;
  spec.slow = schedule.slow;
}

}  // namespace

scenario::RunSpec run_spec(const FaultSchedule& schedule, const ProtocolStack& stack) {
  scenario::RunSpec spec;
  spec.platform.machine = machine_of(schedule);
  spec.platform.processes = schedule.processes;
  spec.platform.processes_per_node = schedule.processes_per_node;
  spec.platform.worker_cores = schedule.worker_cores;
  spec.platform.progress = schedule.progress;
  if (schedule.reordering_s > 0) {
    spec.platform.ordering = scenario::Ordering::unordered;
    spec.platform.unordered_delay_s = schedule.reordering_s;
  }
  disturb(spec, schedule);
  const auto choose = [&spec](Family family, const std::string& name, const OptionValues& changes) {
    spec.components[static_cast<std::size_t>(family)] = choice(family, name, changes);
  };
  choose(Family::workload, schedule.workload, workload_options(schedule));
  for (const auto& [family, component] : components_under(schedule, stack))
    choose(family, component.name, component.options_under(schedule));
  spec.faults = schedule.faults;
  spec.stop = stop_of(schedule, stack);
  return spec;
}

ReplayFiles replay_files(const FaultSchedule& schedule, const ProtocolStack& stack,
                         scenario::EngineKind engine, const std::string& title,
                         const std::string& machine_file) {
  json::JsonValue platform =
      json::json_object({{"machine", machine_file},
                         {"processes", std::int64_t{schedule.processes}},
                         {"processes_per_node", std::int64_t{schedule.processes_per_node}},
                         {"worker_cores", std::int64_t{schedule.worker_cores}},
                         {"progress", scenario::word_of(schedule.progress)}});
  if (schedule.reordering_s > 0) {
    platform.set("ordering", "unordered");
    platform.set("unordered_delay_s", schedule.reordering_s);
  }
  add_disturbances(platform, schedule);
  json::JsonValue scenario = json::json_object(
      {{"schema_version", 1},
       {"name", title},
       {"engine", scenario::word_of(engine)},
       {"seed", static_cast<std::int64_t>(schedule.seed)},
       {"allow_unsafe", true},  // options that lack what they need after a death
       {"platform", std::move(platform)},
       {"workload", component_json(schedule.workload, workload_options(schedule))}});
  for (const auto& [family, component] : components_under(schedule, stack))
    scenario.set(family_key(family),
                 component_json(component.name, component.options_under(schedule)));
  scenario.set("faults", faults_json(schedule));
  const scenario::StopSpec stop = stop_of(schedule, stack);
  scenario.set("stop", json::json_object({{"when", scenario::word_of(stop.when)},
                                          {"grace_s", stop.grace_s},
                                          {"time_s", stop.time_s},
                                          {"events", static_cast<std::int64_t>(stop.events)}}));
  return {json::to_json(scenario, 2) + "\n",
          json::to_json(machine_json(machine_of(schedule)), 2) + "\n"};
}

}  // namespace faultline::lemmas
