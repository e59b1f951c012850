// SPDX-License-Identifier: Apache-2.0

// Draws the schedules under which failure detectors that find deaths themselves are tried.

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/lemmas/fault_moment.hpp"
#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/core/random.hpp"

namespace faultline::lemmas {

namespace {

std::uint32_t below(Stream& random, std::uint32_t end) {
  return static_cast<std::uint32_t>(random.below(end));
}

/// All deaths and disturbances begin within this many periods.
constexpr double kPeriods = 20.0;

void draw_job(Stream& random, FaultSchedule& schedule, const DetectionScale& scale) {
  const std::uint32_t nodes = 3 + below(random, random.chance(0.5) ? 4 : 14);
  const std::uint32_t most = std::min<std::uint32_t>(3, scale.most_processes / nodes);
  schedule.processes_per_node = random.chance(0.5) ? 1 : 1 + below(random, most);
  schedule.processes = nodes * schedule.processes_per_node;
  const std::array<const char*, 4> workloads{"token-ring", "uniform-traffic", "stencil",
                                             "allreduce"};
  schedule.workload = workloads[random.below(workloads.size())];
  schedule.work = random.chance(0.3) ? 1 : 1 + below(random, 100);
  schedule.width = 1 + below(random, schedule.processes);
  if (schedule.workload == "token-ring") schedule.width = std::min(schedule.width, 8U);
  schedule.progress =
      random.chance(0.5) ? scenario::Progress::dedicated : scenario::Progress::shared;
  schedule.period_s = scale.period_s;
  schedule.timeout_s = scale.period_s * (2.2 + 2 * random.uniform());
  schedule.silent_loss_s = 5 * scale.period_s;
  schedule.exit_delay_s = spread(random, 1e-5, 0.1 * scale.period_s);
  schedule.compute_s = spread(random, 1e-6, 0.05 * scale.period_s);
  // Up to here a broadcast takes long enough for a death to fall between two of its sends.
  schedule.overhead_s = spread(random, 1e-7, 3e-3 * scale.period_s);
  schedule.latency_s = spread(random, 3e-7, 3e-5);
  schedule.gap_s = spread(random, 1e-7, 1e-5);
  if (random.chance(0.2)) schedule.reordering_s = spread(random, 1e-6, 5e-5);
}

faults::FaultSpec draw_moment(Stream& random, const FaultSchedule& schedule) {
  return draw_fault_moment(random, schedule,
                           {.at_start = 0.1,
                            .at_mark = 0.2,
                            .by_event = 0.4,
                            .events = std::uint64_t{40} * schedule.processes,
                            .duration_s = kPeriods * schedule.period_s});
}

/// Draws a fault that follows another: together with it, while the news spreads of a death that the
/// operating system or a timeout has reported, or until the ring is mended.
faults::FaultSpec draw_following(Stream& random, const FaultSchedule& schedule,
                                 const faults::FaultSpec& before) {
  faults::FaultSpec next;
  next.time_s = before.time_s;
  next.event = before.event;
  next.mark = before.mark;
  const double manner = random.uniform();
  if (manner < 0.15 || next.mark) return next;
  if (next.event) {
    *next.event += 1 + random.below(std::uint64_t{4} * schedule.processes);
    return next;
  }
  const double telling_s = 12 * (schedule.overhead_s + schedule.gap_s) + 2 * schedule.latency_s;
  if (manner < 0.5)
    *next.time_s += schedule.exit_delay_s + telling_s * random.uniform();
  else if (manner < 0.8)
    *next.time_s += schedule.timeout_s - schedule.period_s * random.uniform() + telling_s;
  else
    *next.time_s += 3 * schedule.timeout_s * random.uniform();
  return next;
}

/// Draws a fault of the processes that hear first of the last dead rank, while they pass the news
/// on: those on its node, which hear of it from the operating system.
faults::FaultSpec draw_cut_broadcast(Stream& random, const FaultSchedule& schedule,
                                     const faults::FaultSpec& before) {
  faults::FaultSpec next;
  const double sending_s = 8 * (schedule.overhead_s + schedule.gap_s);
  next.time_s = *before.time_s + schedule.exit_delay_s + sending_s * random.uniform();
  const Rank dead = before.ranks.back();
  const NodeId node = node_of(schedule, dead);
  const Rank beside =
      node * schedule.processes_per_node + below(random, schedule.processes_per_node);
  const double manner = random.uniform();
  if (manner < 0.3 && beside != dead)
    next.ranks = {beside};
  else
    (manner < 0.8 ? next.nodes : next.daemons) = {node};
  return next;
}

void draw_victim(Stream& random, const FaultSchedule& schedule, faults::FaultSpec& fault,
                 double of_a_rank) {
  const double manner = random.uniform();
  if (manner < of_a_rank)
    fault.ranks.push_back(below(random, schedule.processes));
  else
    (manner < (1 + of_a_rank) / 2 ? fault.nodes : fault.daemons)
        .push_back(below(random, nodes_of(schedule)));
}

void draw_deaths(Stream& random, FaultSchedule& schedule) {
  const std::uint32_t nodes = nodes_of(schedule);
  const std::uint32_t deaths = random.chance(0.5) ? 1 + below(random, 3) : below(random, nodes);
  const double of_a_rank = random.uniform();
  std::vector<faults::FaultSpec>& faults = schedule.faults;
  for (std::uint32_t death = 0; death < deaths; ++death) {
    const double manner = random.uniform();
    if (faults.empty() || manner < 0.3) {
      faults.push_back(draw_moment(random, schedule));
    } else if (manner < 0.5 && faults.back().time_s && !faults.back().ranks.empty()) {
      faults.push_back(draw_cut_broadcast(random, schedule, faults.back()));
      continue;
    } else if (manner < 0.85) {
      faults.push_back(draw_following(random, schedule, faults.back()));
    }
    draw_victim(random, schedule, faults.back(), of_a_rank);
  }
  for (faults::FaultSpec& fault : schedule.faults)
    for (auto* victims : {&fault.ranks, &fault.nodes, &fault.daemons}) {
      std::sort(victims->begin(), victims->end());
      victims->erase(std::unique(victims->begin(), victims->end()), victims->end());
    }
  const bool at_times = std::all_of(schedule.faults.begin(), schedule.faults.end(),
                                    [](const faults::FaultSpec& fault) { return fault.time_s; });
  schedule.until_reported = at_times && !schedule.faults.empty() && random.chance(0.2);
}

/// Cuts one node off, or the network in two.
faults::PartitionSpec draw_partition(Stream& random, const FaultSchedule& schedule,
                                     double most_periods) {
  faults::PartitionSpec partition;
  partition.groups.resize(2);
  const std::uint32_t nodes = nodes_of(schedule);
  const std::uint32_t first = below(random, nodes);
  const std::uint32_t size = random.chance(0.5) ? 1 : 1 + below(random, nodes / 2);
  for (std::uint32_t step = 0; step < nodes; ++step)
    partition.groups[step < size ? 0 : 1].push_back((first + step) % nodes);
  for (auto& group : partition.groups) std::sort(group.begin(), group.end());
  partition.from_s = kPeriods * schedule.period_s * random.uniform();
  partition.to_s = partition.from_s + schedule.period_s * most_periods * (1.0 - random.uniform());
  return partition;
}

void draw_disturbance(Stream& random, FaultSchedule& schedule) {
  const double period_s = schedule.period_s;
  switch (random.below(7)) {
    case 0:  // so short that a detector need not err
      schedule.partitions = {draw_partition(random, schedule, 1.5)};
      break;
    case 1:
      schedule.partitions = {draw_partition(random, schedule, kPeriods)};
      break;
    case 2:
      schedule.loss_probability = spread(random, 1e-3, 0.3);
      break;
    case 3: {
      const double from_s = kPeriods * period_s * random.uniform();
      schedule.slow = {{.nodes = {below(random, nodes_of(schedule))},
                        .factor = spread(random, 2, 1e4),
                        .from_s = from_s,
                        .to_s = from_s + kPeriods * period_s * (1.0 - random.uniform())}};
      break;
    }
    case 4:
      schedule.delay_noise_s = spread(random, 1e-6, 0.5 * period_s);
      break;
    case 5:
      schedule.start_delay_s = 4 * period_s * random.uniform();
      break;
    default: {
      const double length_s = period_s * (0.1 + 1.3 * random.uniform());
      schedule.os_noise =
          scenario::OsNoise{.interval_s = length_s + period_s * (4 + 16 * random.uniform()),
                            .length_s = length_s,
                            .nodes = {}};
    }
  }
}

}  // namespace

FaultSchedule draw_detection_schedule(std::uint64_t number, const DetectionScale& scale) {
  Stream random(number, 2, Purpose::faults, 0);
  FaultSchedule schedule;
  schedule.seed = number;
  draw_job(random, schedule, scale);
  const double manner = random.uniform();
  if (manner >= 0.4) draw_disturbance(random, schedule);
  if (manner >= 0.9) draw_disturbance(random, schedule);
  draw_deaths(random, schedule);
  return schedule;
}

}  // namespace faultline::lemmas
