// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/declarations.hpp"

#include <set>

#include "sim/core/registry.hpp"
#include "sim/scenario/part_lists.hpp"

namespace faultline::scenario {
namespace {

constexpr double kLargestCount = 1e9;

/// The marks that any component sets.
std::vector<std::string> mark_names() {
  std::set<std::string> names;
  for (const Registration& component : registrations())
    for (const Mark* mark : component.marks) names.insert(mark->name);
  return {names.begin(), names.end()};
}

/// Adds the options of the machine's system: its delays, its daemons and what disturbs a job.
OptionSet<PlatformOptions> with_system(OptionSet<PlatformOptions> set) {
  using Options = PlatformOptions;
  return set
      .option("local_exit_delay_s", &Options::local_exit_delay_s,
              {.doc = "time until a node's daemon hears of the death of a local rank",
               .unit = "s",
               .minimum = 0})
      .option("link_lost_delay_s", &Options::link_lost_delay_s,
              {.doc = "time until the holder of an open connection hears that it broke",
               .unit = "s",
               .minimum = 0})
      .option("silent_link_lost_delay_s", &Options::silent_link_lost_delay_s,
              {.doc = "time until the holder of an open connection hears that it broke because the "
                      "peer's node failed and nobody closed the connection",
               .unit = "s",
               .source = "PRRTE's keepalive: 300 s, then 9 probes in 20 s each",
               .minimum = 0})
      .option("restart_delay_s", &Options::restart_delay_s,
              {.doc = "time from the request to restart a dead process until it runs",
               .unit = "s",
               .minimum = 0})
      .option("when_no_spare", &Options::when_no_spare,
              {.doc = "what happens to a request to restart a process for which no node is free: "
                      "it waits for the next repair of a node that is down, if there is one; or it "
                      "is refused, and the protocol gives up",
               .choices = {"wait", "give-up"}})
      .option("daemon_core", &Options::daemon_core,
              {.doc = "where a node's daemon runs: on a core of its own, or on those of the "
                      "ranks",
               .choices = {"dedicated", "shared"}})
      .option("context_switch_s", &Options::context_switch_s,
              {.doc = "time that a daemon without a core of its own needs to take a rank's ",
               .unit = "s",
               .minimum = 0})
      .option("start_delay_s", &Options::start_delay_s,
              {.doc = "time at the start in which a daemon only launches processes, and neither "
                      "sends nor handles anything of its detector",
               .unit = "s",
               .minimum = 0})
      .option("detection_loss_probability", &Options::detection_loss_probability,
              {.doc = "probability, below 1, that the network loses a message of failure "
                      "detection from one node to another",
               .minimum = 0,
               .maximum = 1})
      .option("nodes_per_power_unit", &Options::nodes_per_power_unit,
              {.doc = "nodes that fail together with their power unit: the first so many nodes of "
                      "the job have the first unit, and so on; null: not known",
               .minimum = 1});
}

}  // namespace

const OptionSet<ScenarioOptions>& scenario_options() {
  using Options = ScenarioOptions;
  static const auto set =
      OptionSet<Options>()
          .option("schema_version", &Options::schema_version,
                  {.doc = "version of this format", .minimum = 1, .maximum = 1, .required = true})
          .option("name", &Options::name, {.doc = "name of the results; default: the file"})
          .option("engine", &Options::engine,
                  {.doc = "loggp: own event queue, fast; simgrid: flow-level contention, accurate",
                   .choices = {"loggp", "simgrid"}})
          .option("seed", &Options::seed,
                  {.doc = "seed of all random streams, together with replication, purpose and rank",
                   .maximum = 9007199254740992.0})
          .option("replications", &Options::replications,
                  {.doc = "runs of each point, each with its own random streams",
                   .minimum = 1,
                   .maximum = 1e6})
          .option("allow_unsafe", &Options::allow_unsafe,
                  {.doc = "run combinations whose stated assumptions clash"});
  return set;
}

const OptionSet<PlatformOptions>& platform_options() {
  using Options = PlatformOptions;
  static const auto set = with_system(
      OptionSet<Options>()
          .option("machine", &Options::machine,
                  {.doc = "a shipped machine by name, or the path of a machine file (relative to "
                          "the scenario); give this or xml"})
          .option(
              "xml", &Options::xml,
              {.doc = "a SimGrid platform file (relative to the scenario); give this or machine"})
          .option(
              "processes", &Options::processes,
              {.doc = "ranks of the job", .minimum = 1, .maximum = kLargestCount, .required = true})
          .option("processes_per_node", &Options::processes_per_node,
                  {.doc = "ranks on each node, at most its hardware threads", .minimum = 1})
          .option("spare_nodes", &Options::spare_nodes,
                  {.doc = "nodes of the job that hold no rank until one restarts there",
                   .maximum = kLargestCount})
          .option("worker_cores", &Options::worker_cores,
                  {.doc = "cores that compute for each rank", .minimum = 1, .maximum = 65536})
          .option("whole_machine", &Options::whole_machine,
                  {.doc = "route over the whole machine instead of a compact block of it"})
          .option("mapping", &Options::mapping,
                  {.doc = "how ranks are placed on the job's nodes",
                   .choices = {"block", "round-robin", "random"}})
          .option("progress", &Options::progress,
                  {.doc = "where a rank handles messages while it computes: on a core of its own, "
                          "on a worker core, which it preempts, or nowhere until the compute ends",
                   .choices = {"dedicated", "shared", "between"}})
          .option("ordering", &Options::ordering,
                  {.doc = "order of the messages from one process to another",
                   .choices = {"fifo", "unordered"}})
          .option("unordered_delay_s", &Options::unordered_delay_s,
                  {.doc = "mean of the exponential delay of each message when unordered",
                   .unit = "s",
                   .minimum = 0})
          .option("packet_bytes", &Options::packet_bytes,
                  {.doc = "messages longer than this are sent in packets, and shorter messages "
                          "overtake them at a NIC. The default is MVAPICH2's on InfiniBand (QLogic "
                          "OFED+ User Guide, IB0054606)",
                   .unit = "B",
                   .minimum = 1,
                   .maximum = 65536}));
  return set;
}

const OptionSet<OverheadOptions>& overhead_options() {
  using Options = OverheadOptions;
  static const auto set =
      OptionSet<Options>()
          .option("send_overhead_s", &Options::send_overhead_s,
                  {.doc = "o_s: processor time to send one message", .unit = "s", .minimum = 0})
          .option("receive_overhead_s", &Options::receive_overhead_s,
                  {.doc = "o_r: processor time to receive one message", .unit = "s", .minimum = 0})
          .option("gap_s", &Options::gap_s,
                  {.doc = "g: least time between two messages of a host's NIC",
                   .unit = "s",
                   .minimum = 0})
          .option(
              "nic_bandwidth_Bps", &Options::nic_bandwidth_Bps,
              {.doc = "1/G: bandwidth that a host's NIC sustains; null: only the links limit it",
               .unit = "B/s",
               .minimum = 0,
               .above_minimum = true})
          .option("cores_per_host", &Options::cores_per_host,
                  {.doc = "processes that a host can run at once; null: as in the file",
                   .minimum = 1,
                   .maximum = 65536})
          .option("local_latency_s", &Options::local_latency_s,
                  {.doc = "latency between two processes of a host; null: as in the file",
                   .unit = "s",
                   .minimum = 0})
          .option("local_bandwidth_Bps", &Options::local_bandwidth_Bps,
                  {.doc = "bandwidth between two processes of a host; null: as in the file",
                   .unit = "B/s",
                   .minimum = 0,
                   .above_minimum = true});
  return set;
}

const OptionSet<DelayNoiseOptions>& delay_noise_options() {
  using Options = DelayNoiseOptions;
  static const auto set =
      OptionSet<Options>()
          .option("law", &Options::law,
                  {.doc = "law of the delays: uniform from 0 to twice the mean, or Pareto (of the "
                          "second kind, so that it begins at 0) with a heavy tail",
                   .choices = {"exponential", "uniform", "pareto"}})
          .option("mean_s", &Options::mean_s,
                  {.doc = "mean delay",
                   .unit = "s",
                   .minimum = 0,
                   .above_minimum = true,
                   .required = true})
          .option("shape", &Options::shape,
                  {.doc = "shape of the Pareto law: the share of delays above t falls as t^-shape",
                   .minimum = 1,
                   .maximum = 1e6,
                   .above_minimum = true})
          .option("per", &Options::per,
                  {.doc = "whether a message has one delay, or one for each link of its route",
                   .choices = {"message", "hop"}});
  return set;
}

const char* delay_noise_summary() {
  return "the network delays each message between nodes by a random time; under ordering fifo a "
         "message waits for the earlier messages of its sender to the same process";
}

const OptionSet<OsNoiseOptions>& os_noise_options() {
  using Options = OsNoiseOptions;
  static const auto set = OptionSet<Options>()
                              .option("interval_s", &Options::interval_s,
                                      {.doc = "time from one interruption to the next",
                                       .unit = "s",
                                       .minimum = 0,
                                       .above_minimum = true,
                                       .required = true})
                              .option("length_s", &Options::length_s,
                                      {.doc = "length of each interruption, less than interval_s",
                                       .unit = "s",
                                       .minimum = 0,
                                       .above_minimum = true,
                                       .required = true});
  return set;
}

const char* os_noise_summary() {
  return "the system interrupts all processors of a node again and again, each node from a random "
         "moment on; a processor sends, receives and computes nothing meanwhile";
}

const VictimList& os_noise_nodes() {
  static const VictimList list{"nodes",
                               "nodes that are interrupted, spare ones included; null: all"};
  return list;
}

const OptionSet<FencingOptions>& fencing_options() {
  using Options = FencingOptions;
  static const auto set =
      OptionSet<Options>()
          .option("by", &Options::by,
                  {.doc = "what ends it. Default: resource-manager where message logging or "
                          "transactions recover, else nobody: then it stops when it hears of the "
                          "report, or denies it where its detector lets it come back (swim)",
                   .choices = {"resource-manager", "nobody"}})
          .option("delay_s", &Options::delay_s,
                  {.doc = "time from the report until the resource manager has ended the process",
                   .unit = "s",
                   .source = "Open MPI and PRRTE wait 1 s from SIGTERM to SIGKILL "
                             "(odls_base_sigkill_timeout)",
                   .minimum = 0})
          .option("reach", &Options::reach,
                  {.doc = "the nodes that the resource manager reaches while the network is cut "
                          "into groups of nodes: all; or the group of node 0, where it is, and "
                          "the nodes in no group. It hears and ends the others when the cut heals",
                   .choices = {"all", "connected"}});
  return set;
}

const char* fencing_summary() {
  return "what ends a process that lives and is declared dead, and when. The resource manager does "
         "not believe a process that it is about to end: of two that accuse each other, it ends "
         "the one that was accused first";
}

const OptionSet<StatedFaultOptions>& stated_fault_options() {
  using Options = StatedFaultOptions;
  static const auto set =
      OptionSet<Options>()
          .option("time_s", &Options::time_s,
                  {.doc = "simulated time of the fault", .unit = "s", .minimum = 0})
          .option("event", &Options::event,
                  {.doc = "the fault follows this event of the run, counted from 1", .minimum = 1})
          .option(
              "soft", &Options::soft,
              {.doc = "if true, the programs of the ranks find an error in their data, and raise "
                      "it in the TryBlock that is open, or else in the next one. Nobody dies, "
                      "unless the stack has no TryBlock that could be rejected for it"})
          .option("stall_s", &Options::stall_s,
                  {.doc = "if given, nobody dies: the processors of the ranks do nothing for this "
                          "time; null: the victims die",
                   .unit = "s",
                   .minimum = 0,
                   .maximum = 1e9,
                   .above_minimum = true})
          .option("repair_s", &Options::repair_s,
                  {.doc = "time until the nodes or routers that fail are in operation again; null: "
                          "never",
                   .unit = "s",
                   .minimum = 0,
                   .above_minimum = true});
  return set;
}

const OptionSet<faults::MarkSpec>& mark_options() {
  static const auto set =
      OptionSet<faults::MarkSpec>()
          .option("name", &faults::MarkSpec::name,
                  {.doc = "name of a mark that a component of the scenario sets",
                   .required = true,
                   .choices = mark_names()})
          .option("value", &faults::MarkSpec::value,
                  {.doc = "value of the mark at which the fault strikes", .required = true});
  return set;
}

const OptionSet<PartitionOptions>& partition_options() {
  using Options = PartitionOptions;
  static const auto set =
      OptionSet<Options>()
          .option("from_s", &Options::from_s,
                  {.doc = "start of the cut", .unit = "s", .minimum = 0})
          .option("to_s", &Options::to_s,
                  {.doc = "time at which the network is whole again; null: never",
                   .unit = "s",
                   .minimum = 0,
                   .above_minimum = true})
          .option("messages", &Options::messages,
                  {.doc = "whether messages are lost, or wait until the network is whole again; "
                          "timers run on meanwhile",
                   .source = "wait: the anomalies of Lifeguard (DSN-W 2018), in which a member's "
                             "messages are blocked",
                   .choices = {"lost", "wait"}});
  return set;
}

const OptionSet<SlowOptions>& slow_options() {
  using Options = SlowOptions;
  static const auto set =
      OptionSet<Options>()
          .option(
              "factor", &Options::factor,
              {.doc = "factor by which things take longer; the factors of several entries multiply",
               .minimum = 1,
               .maximum = 1e9,
               .required = true})
          .option("from_s", &Options::from_s,
                  {.doc = "time at which the nodes become slow", .unit = "s", .minimum = 0})
          .option("to_s", &Options::to_s,
                  {.doc = "time at which they are fast again; null: never",
                   .unit = "s",
                   .minimum = 0,
                   .above_minimum = true});
  return set;
}

const OptionSet<StopOptions>& stop_options() {
  using Options = StopOptions;
  static const auto set =
      OptionSet<Options>()
          .option("when", &Options::when,
                  {.doc = "what ends a run; default: announced under a termination detector, else "
                          "finished if the workload declares its end, else time, which always ends "
                          "a run at `time_s`",
                   .choices = {"announced", "all-reported", "finished", "time"}})
          .option("grace_s", &Options::grace_s,
                  {.doc = "a run is hung if nothing was announced this long after the work ended "
                          "and the last notice of a death came",
                   .unit = "s",
                   .minimum = 0})
          .option("time_s", &Options::time_s,
                  {.doc = "limit of simulated time; the end of a run that ends at a time",
                   .unit = "s",
                   .minimum = 0,
                   .above_minimum = true})
          .option("events", &Options::events, {.doc = "limit of events", .minimum = 1})
          .option("memory_bytes", &Options::memory_bytes,
                  {.doc = "limit of the memory that the simulating process holds; a run beyond it "
                          "fails and has no result. Null: all processes of a command together hold "
                          "at most three quarters of the machine's memory. Not part of the "
                          "scenario's hash",
                   .unit = "B",
                   .minimum = 1e6,
                   .maximum = 1e15});
  return set;
}

const OptionSet<SweepRange>& sweep_range_options() {
  using Options = SweepRange;
  static const auto set =
      OptionSet<Options>()
          .option("from", &Options::from, {.doc = "the first value", .required = true})
          .option("to", &Options::to, {.doc = "the bound that no value exceeds", .required = true})
          .option("times", &Options::times,
                  {.doc = "the factor from one value to the next; give this or step",
                   .minimum = 0,
                   .above_minimum = true})
          .option("step", &Options::step,
                  {.doc = "the difference from one value to the next; give this or times"});
  return set;
}

const OptionSet<Precision>& precision_options() {
  using Options = Precision;
  static const auto set =
      OptionSet<Options>()
          .option("metric", &Options::metric,
                  {.doc = "the metric whose mean decides", .required = true})
          .option("relative_half_width", &Options::relative_half_width,
                  {.doc = "a point is done when half its 95 % confidence interval is at most this "
                          "share of the mean",
                   .minimum = 0,
                   .maximum = 1,
                   .above_minimum = true,
                   .required = true})
          .option("most_replications", &Options::most_replications,
                  {.doc = "a point is done after this many replications in any case",
                   .minimum = 2,
                   .maximum = 1e6});
  return set;
}

const std::vector<VictimList>& victim_lists() {
  static const std::vector<VictimList> lists = [] {
    std::vector<VictimList> all = {
        {"ranks", "processes that die, find an error or stall"},
        {"nodes", "nodes that die with their daemon and all their ranks, numbered within the job"},
        {"daemons", "nodes whose daemon dies, and with it their ranks"}};
    for (const PartList& parts : part_lists()) all.push_back(parts.list);
    return all;
  }();
  return lists;
}

const std::vector<VictimList>& partition_lists() {
  static const std::vector<VictimList> lists = {
      {"nodes", "at least two groups of nodes, spare ones included; nodes in no group reach all"},
      {"ranks", "at least two groups of ranks; ranks in no group, and daemons, reach all"}};
  return lists;
}

const char* partition_summary() {
  return "a time in which the network loses or delays messages that enter it from one group to "
         "another; the groups are of nodes or of ranks";
}

const char* slow_summary() {
  return "a time in which nodes are slow: their processors take longer to send, to receive, and "
         "for the work of protocols";
}

const VictimList& slow_nodes() {
  static const VictimList list{"nodes", "nodes that are slow, spare ones included"};
  return list;
}

const OptionSet<platform::Machine>& machine_values() {
  const auto time = [](const char* doc) {
    return OptionNotes{.doc = doc, .unit = "s", .minimum = 0, .maximum = 1, .required = true};
  };
  const auto bandwidth = [](const char* doc) {
    return OptionNotes{.doc = doc, .unit = "B/s", .minimum = 1, .maximum = 1e15, .required = true};
  };
  const auto count = [](const char* doc, const char* unit, double maximum) {
    return OptionNotes{
        .doc = doc, .unit = unit, .minimum = 1, .maximum = maximum, .required = true};
  };
  static const auto set =
      OptionSet<platform::Machine>()
          .option("nodes", &platform::Machine::nodes,
                  count("nodes that jobs can use", "nodes", 1e7))
          .option("cores_per_node", &platform::Machine::cores_per_node,
                  count("processor cores of a node", "cores", 65536))
          .option("hardware_threads_per_node", &platform::Machine::hardware_threads_per_node,
                  count("processes that a node can run at once", "threads", 65536))
          .option("send_overhead_s", &platform::Machine::send_overhead_s,
                  time("o_s: processor time to send one message"))
          .option("receive_overhead_s", &platform::Machine::receive_overhead_s,
                  time("o_r: processor time to receive one message"))
          .option("gap_s", &platform::Machine::gap_s,
                  time("g: least time between two messages of a NIC"))
          .option("nic_bandwidth_Bps", &platform::Machine::nic_bandwidth_Bps,
                  bandwidth("1/G: bandwidth that a node's NIC sustains, per direction"))
          .option("nic_latency_s", &platform::Machine::nic_latency_s,
                  time("the part of L outside the links: both NICs together"))
          .option("hop_latency_s", &platform::Machine::hop_latency_s,
                  time("the part of L for each link of the route"))
          .option("link_bandwidth_Bps", &platform::Machine::link_bandwidth_Bps,
                  bandwidth("bandwidth of one link, per direction"))
          .option("local_latency_s", &platform::Machine::local_latency_s,
                  time("replaces L within a node"))
          .option("local_bandwidth_Bps", &platform::Machine::local_bandwidth_Bps,
                  bandwidth("bandwidth through the memory of a node"))
          .option(
              "memory_per_node_B", &platform::Machine::memory_per_node_B,
              {.doc = "memory of a node; a scenario that needs more gets a warning. 0: not known",
               .unit = "B",
               .minimum = 0,
               .maximum = 1e18});
  return set;
}

const std::vector<MachineCost>& machine_costs() {
  using platform::Machine;
  static const std::vector<MachineCost> costs = {
      {"send_overhead_s", &Machine::send_overhead_s},
      {"receive_overhead_s", &Machine::receive_overhead_s},
      {"gap_s", &Machine::gap_s},
      {"nic_bandwidth_Bps", &Machine::nic_bandwidth_Bps},
      {"nic_latency_s", &Machine::nic_latency_s},
      {"hop_latency_s", &Machine::hop_latency_s},
      {"link_bandwidth_Bps", &Machine::link_bandwidth_Bps},
      {"local_latency_s", &Machine::local_latency_s},
      {"local_bandwidth_Bps", &Machine::local_bandwidth_Bps}};
  return costs;
}

const std::vector<OptionSpec>& machine_cost_options() {
  static const std::vector<OptionSpec> specs = [] {
    std::vector<OptionSpec> some;
    for (const MachineCost& cost : machine_costs()) {
      const std::vector<OptionSpec>& all = machine_values().specs();
      some.push_back(*std::ranges::find(all, cost.name, &OptionSpec::name));
      some.back().required = false;
      some.back().nullable = true;
      some.back().default_value = {};
    }
    return some;
  }();
  return specs;
}

const std::vector<std::string>& value_statuses() {
  static const std::vector<std::string> statuses = {"measured", "published", "estimated"};
  return statuses;
}

}  // namespace faultline::scenario
