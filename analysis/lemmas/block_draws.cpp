// SPDX-License-Identifier: Apache-2.0

// Draws the schedules for programs of TryBlocks.

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "analysis/lemmas/fault_moment.hpp"
#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/core/random.hpp"

namespace faultline::lemmas {

namespace {

template <class... Values>
auto among(Stream& random, Values... values) {
  const std::array list{values...};
  return list[random.below(list.size())];
}

std::string word_among(Stream& random, std::initializer_list<const char*> words) {
  return *std::next(words.begin(), static_cast<std::ptrdiff_t>(random.below(words.size())));
}

/// The approximate number of events of the job, and a third more for what a recovery adds.
std::uint64_t events_of(const FaultSchedule& schedule) {
  std::uint64_t of_iteration = schedule.has_sums ? 13 : 3;
  if (schedule.workload == "minife") of_iteration = schedule.has_sums ? 28 : 16;
  if (schedule.workload == "lulesh-mpi") of_iteration = 62;
  return std::uint64_t{schedule.processes} * schedule.work * of_iteration * 4 / 3;
}

/// Draws the program, and what happens after a death: a world shrinks only under a program that
/// needs only some of its ranks, and a rank decides alone only if it needs no other.
void draw_program(Stream& random, FaultSchedule& schedule, const BlockProtocol& protocol) {
  const bool agrees = protocol.name == "fampi" || protocol.name == "ulfm";
  const bool is_local = protocol.scope == "local";
  const std::string recovery = word_among(random, {"rebuild", "rebuild", "merge", "shrink"});
  if (agrees && !is_local && recovery != "rebuild") schedule.transactions["recovery"] = recovery;
  const bool can_shrink = agrees && !is_local && recovery == "shrink";
  schedule.workload = word_among(random, {"minife", "minife", "lulesh-mpi", "try-blocks"});
  if (can_shrink || is_local) schedule.workload = "try-blocks";
  schedule.processes = 3 + static_cast<std::uint32_t>(random.below(6));
  constexpr std::uint32_t kCube = 8;
  if (schedule.workload == "lulesh-mpi") schedule.processes = kCube;
  schedule.processes_per_node =
      1 + static_cast<std::uint32_t>(random.below(std::min(3U, schedule.processes - 1)));
  const bool is_long = schedule.workload != "lulesh-mpi";
  schedule.work = 1 + static_cast<std::uint32_t>(random.below(is_long ? 5 : 3));
  schedule.iterations_per_block = 1 + static_cast<std::uint32_t>(random.below(3));
  schedule.has_sums = !is_local && (protocol.scope == "with-collective" || random.chance(0.6));
}

void draw_costs(Stream& random, FaultSchedule& schedule) {
  schedule.progress = among(random, scenario::Progress::dedicated, scenario::Progress::shared,
                            scenario::Progress::between);
  draw_delays(random, schedule);
  if (random.chance(0.5)) schedule.reordering_s = spread(random, 1e-6, 1e-4);
}

/// Draws where and how often states are saved, and where the dead are replaced.
void draw_checkpoint(Stream& random, FaultSchedule& schedule) {
  OptionValues& options = schedule.transactions;
  if (random.chance(0.3)) options["spawn"] = std::string("same-node");
  options["checkpoint"] = std::string("none");
  if (random.chance(0.4)) return;
  std::string checkpoint = word_among(random, {"partner", "partner", "storage", "local"});
  const bool moves =
      options.contains("recovery") && options.at("recovery") == OptionValue(std::string("merge"));
  const bool is_alone = nodes_of(schedule) == 1;
  if ((checkpoint == "local" && moves) || (checkpoint == "partner" && is_alone))
    checkpoint = "storage";
  // A process that starts on another node than the dead one finds no checkpoint there.
  if (checkpoint == "local" && random.chance(0.7)) options["spawn"] = std::string("same-node");
  options["checkpoint"] = checkpoint;
  if (random.chance(0.7))
    options["checkpoint_iterations"] = static_cast<std::int64_t>(1 + random.below(3));
  else
    options["checkpoint_interval_s"] = spread(random, 1e-6, 1e-3);
  if (random.chance(0.5)) {
    options["storage_bandwidth_Bps"] = spread(random, 1e7, 1e10);
    options["node_storage_bandwidth_Bps"] = spread(random, 1e6, 1e9);
  }
}

/// A request never times out if a rank that gives up invites the others.
void draw_fampi(Stream& random, FaultSchedule& schedule, const std::string& scope) {
  OptionValues& options = schedule.transactions;
  if (scope != "global") options["scope"] = scope;
  options["agreement"] = word_among(random, {"era", "two-phase", "star"});
  constexpr double kNeverTimesOut_s = 1e6;
  if (random.chance(0.5)) {
    options["release"] = std::string("invite");
    options["request_timeout_s"] = kNeverTimesOut_s;
  } else {
    options["request_timeout_s"] = spread(random, 0.01, 0.1);
  }
  options["wait_timeout_s"] = random.chance(0.7) ? 1.0 : spread(random, 1e-4, 1.0);
  if (random.chance(0.5)) options["retries"] = static_cast<std::int64_t>(random.below(6));
  if (random.chance(0.3)) options["cancel_s"] = spread(random, 1e-7, 1e-4);
}

void draw_protocol(Stream& random, FaultSchedule& schedule, const BlockProtocol& protocol) {
  if (protocol.name == "none") return;
  draw_checkpoint(random, schedule);
  OptionValues& options = schedule.transactions;
  if (random.chance(0.5)) options["rebuild_over"] = std::string("tree");
  const double start_s = random.chance(0.3) ? 0.0 : spread(random, 1e-6, 1e-2);
  options[protocol.name == "relaunch" ? "relaunch_s" : "spawn_s"] = start_s;
  if (protocol.name == "fampi") draw_fampi(random, schedule, protocol.scope);
}

/// Draws a mark: of a commit, or of a recovery from an earlier fault.
faults::MarkSpec draw_mark(Stream& random, const FaultSchedule& schedule) {
  const auto number = static_cast<std::int64_t>(random.below(4));
  if (schedule.faults.empty() || random.chance(0.3))
    return {word_among(random, {"contributed", "decided", "checkpoint"}), number};
  if (random.chance(0.2)) return {"restore", number};
  return {word_among(random, {"revoke", "shrink", "regroup", "spawn", "join", "resume"}),
          1 + static_cast<std::int64_t>(random.below(2))};
}

/// Draws when a fault strikes: half of all are aimed at marks, or soon after another one.
faults::FaultSpec draw_moment(Stream& random, const FaultSchedule& schedule) {
  faults::FaultSpec fault;
  const double manner = random.uniform();
  const bool follows = !schedule.faults.empty() && schedule.faults.back().event.has_value();
  if (manner < 0.4 && !schedule.transactions.empty())
    fault.mark = draw_mark(random, schedule);
  else if (manner < 0.6 && follows)
    fault.event = *schedule.faults.back().event + 1 + random.below(100);
  else
    fault.event = 1 + random.below(events_of(schedule));
  return fault;
}

/// Draws a victim: often the rank that died before, again, or the keeper of its checkpoint, or the
/// first rank, which leads recoveries.
Rank draw_victim(Stream& random, const FaultSchedule& schedule, std::optional<Rank> before) {
  const double manner = random.uniform();
  if (before && manner < 0.2) return (*before + schedule.processes_per_node) % schedule.processes;
  if (before && manner < 0.35) return *before;
  if (manner < 0.5) return 0;
  return static_cast<Rank>(random.below(schedule.processes));
}

void draw_deaths(Stream& random, FaultSchedule& schedule) {
  const std::uint64_t deaths = 1 + random.below(3);
  std::optional<Rank> before;
  for (std::uint64_t death = 0; death < deaths; ++death) {
    faults::FaultSpec fault = draw_moment(random, schedule);
    const Rank victim = draw_victim(random, schedule, before);
    const double manner = random.uniform();
    if (manner < 0.05)
      fault.nodes.push_back(node_of(schedule, victim));
    else if (manner < 0.08)
      fault.nodes.push_back(nodes_of(schedule));  // the first spare node
    else
      fault.ranks.push_back(victim);
    before = victim;
    schedule.faults.push_back(std::move(fault));
  }
}

/// Adds faults that kill nobody. They raise errors only if TryBlocks are committed.
void draw_harmless(Stream& random, FaultSchedule& schedule, const BlockProtocol& protocol) {
  const bool can_raise = protocol.name == "fampi" || protocol.name == "ulfm";
  const std::uint64_t faults = random.chance(0.5) ? 0 : 1 + random.below(3);
  for (std::uint64_t i = 0; i < faults; ++i) {
    faults::FaultSpec fault = draw_moment(random, schedule);
    fault.ranks.push_back(static_cast<Rank>(random.below(schedule.processes)));
    fault.soft = can_raise && random.chance(0.5);
    if (!fault.soft) fault.stall_s = spread(random, 1e-5, 0.1);
    schedule.faults.push_back(std::move(fault));
  }
}

// ---- wide schedules ----------------------------------------------------------------------------

/// Puts a program on more ranks, several of them on a node.
void widen(Stream& random, FaultSchedule& schedule) {
  constexpr std::uint32_t kLargerCube = 27;
  if (schedule.workload == "lulesh-mpi")
    schedule.processes = random.chance(0.5) ? kLargerCube : schedule.processes;
  else
    schedule.processes = 4 + static_cast<std::uint32_t>(random.below(29));
  schedule.processes_per_node =
      1 + static_cast<std::uint32_t>(random.below(std::min(8U, schedule.processes - 1)));
  schedule.worker_cores = 1 + static_cast<std::uint32_t>(random.below(2));
  schedule.spare_nodes = 1 + static_cast<std::uint32_t>(random.below(12));
}

/// Adds a victim: a rank, often one that is dead already or the one next to it, a node, also a
/// spare one, or a daemon.
void add_victim(Stream& random, const FaultSchedule& schedule, bool daemons,
                faults::FaultSpec& fault, std::optional<Rank>& before) {
  const Rank victim = draw_victim(random, schedule, before);
  const double manner = random.uniform();
  if (manner < 0.15)
    fault.nodes.push_back(node_of(schedule, victim));
  else if (manner < 0.25)
    fault.nodes.push_back(nodes_of(schedule) +
                          static_cast<NodeId>(random.below(schedule.spare_nodes)));
  else if (manner < 0.35 && daemons)
    fault.daemons.push_back(node_of(schedule, victim));
  else
    fault.ranks.push_back(victim);
  before = victim;
}

/// Several deaths at once, at the start, at marks, at any event, or soon after other deaths.
void draw_wide_deaths(Stream& random, FaultSchedule& schedule, bool daemons) {
  const std::uint64_t faults = 1 + random.below(6);
  std::optional<Rank> before;
  for (std::uint64_t i = 0; i < faults; ++i) {
    faults::FaultSpec fault = draw_moment(random, schedule);
    if (random.chance(0.15)) {
      fault = {};
      fault.time_s = 0.0;
    }
    const std::uint64_t victims = random.chance(0.5) ? 1 : 1 + random.below(5);
    for (std::uint64_t one = 0; one < victims; ++one)
      add_victim(random, schedule, daemons, fault, before);
    for (auto* of : {&fault.ranks, &fault.nodes, &fault.daemons}) {
      std::sort(of->begin(), of->end());
      of->erase(std::unique(of->begin(), of->end()), of->end());
    }
    schedule.faults.push_back(std::move(fault));
  }
}

/// Makes three ranks die again and again, often while their new processes start, with enough nodes
/// for those.
void draw_deaths_again(Stream& random, FaultSchedule& schedule, bool daemons) {
  constexpr std::uint32_t kEnough = 14;
  schedule.spare_nodes = kEnough;
  const auto any = [&] { return static_cast<Rank>(random.below(schedule.processes)); };
  const std::array victims{any(), any(), Rank{0}};
  std::uint64_t event = 1 + random.below(200);
  const std::uint64_t deaths = 2 + random.below(7);
  for (std::uint64_t death = 0; death < deaths; ++death) {
    const Rank victim = victims[random.below(victims.size())];
    const double manner = random.uniform();
    faults::FaultSpec fault;
    fault.event = event;
    if (manner < 0.05)
      fault.nodes.push_back(node_of(schedule, victim));
    else if (manner < 0.2 && daemons)
      fault.daemons.push_back(node_of(schedule, victim));
    else
      fault.ranks.push_back(victim);
    schedule.faults.push_back(std::move(fault));
    event += 1 + random.below(random.chance(0.5) ? 12 : 80);
  }
}

/// Makes all waits long enough: a detector may need long to find a death.
void be_patient(FaultSchedule& schedule) {
  constexpr double kLong_s = 1e6;
  OptionValues& options = schedule.transactions;
  options["release"] = std::string("invite");
  options["request_timeout_s"] = options["wait_timeout_s"] = kLong_s;
}

}  // namespace

FaultSchedule draw_wide_block_schedule(std::uint64_t number, const BlockProtocol& protocol,
                                       const WideFaults& faults) {
  Stream random(number, 4, Purpose::faults, 0);
  FaultSchedule schedule;
  schedule.seed = number;
  draw_program(random, schedule, protocol);
  const bool is_wide = random.chance(0.6);
  if (is_wide) widen(random, schedule);
  draw_costs(random, schedule);
  if (random.chance(0.3)) schedule.spread_s = spread(random, 1e-7, 1e-2);
  draw_protocol(random, schedule, protocol);
  if (faults.found_late && protocol.name == "fampi") be_patient(schedule);
  if (is_wide)
    draw_wide_deaths(random, schedule, faults.daemons);
  else
    draw_deaths_again(random, schedule, faults.daemons);
  if (!faults.found_late) draw_harmless(random, schedule, protocol);
  if (faults.noise && random.chance(0.3)) {
    const double length_s = spread(random, 1e-6, 1e-4);
    schedule.os_noise = scenario::OsNoise{
        .interval_s = length_s * (2 + 8 * random.uniform()), .length_s = length_s, .nodes = {}};
  }
  return schedule;
}

FaultSchedule draw_block_schedule(std::uint64_t number, const BlockProtocol& protocol) {
  Stream random(number, 3, Purpose::faults, 0);
  FaultSchedule schedule;
  schedule.seed = number;
  draw_program(random, schedule, protocol);
  draw_costs(random, schedule);
  schedule.spare_nodes = 1 + static_cast<std::uint32_t>(random.below(4));
  draw_protocol(random, schedule, protocol);
  // If a death ends the job, half of the schedules have none.
  const bool recovers = protocol.name != "none" && protocol.scope != "local";
  if (recovers || random.chance(0.5)) draw_deaths(random, schedule);
  draw_harmless(random, schedule, protocol);
  return schedule;
}

}  // namespace faultline::lemmas
