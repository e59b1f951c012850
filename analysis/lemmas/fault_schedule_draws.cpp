// SPDX-License-Identifier: Apache-2.0

// Draws the schedules that the search for counterexamples tries.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/lemmas/fault_moment.hpp"
#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/core/random.hpp"

namespace faultline::lemmas {

namespace {

/// Draws when the next death strikes: together with the last one, soon after it, or anywhere in the
/// run.
faults::FaultSpec draw_moment(Stream& random, const FaultSchedule& schedule) {
  faults::FaultSpec fault;
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
      faults::FaultSpec soon = faults.back();
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

FaultSchedule draw_small(Stream& random) {
  FaultSchedule schedule;
  schedule.processes = 3 + static_cast<std::uint32_t>(random.below(6));
  schedule.processes_per_node = 1 + static_cast<std::uint32_t>(random.below(3));
  const std::array<const char*, 3> workloads{"token-ring", "uniform-traffic", "random-tree"};
  schedule.workload = workloads[random.below(workloads.size())];
  schedule.work = 2 + static_cast<std::uint32_t>(random.below(random.chance(0.5) ? 6 : 25));
  schedule.width = 1 + static_cast<std::uint32_t>(random.below(schedule.processes));
  draw_machine(random, schedule);
  schedule.notice_s = spread(random, 1e-7, 1e-4);
  if (random.chance(0.5)) schedule.reordering_s = spread(random, 1e-6, 5e-5);
  draw_faults(random, schedule);
  return schedule;
}

// ---- wide schedules ----------------------------------------------------------------------------

/// The approximate time that the job takes at most if nothing goes wrong [s].
double duration_s(const FaultSchedule& schedule) {
  const double step_s = schedule.compute_s + schedule.latency_s + 2 * schedule.overhead_s;
  return step_s * (2 + schedule.work);
}

/// Draws when the first of several faults strikes: at the start, at a mark, or anywhere in the run.
faults::FaultSpec draw_wide_moment(Stream& random, const FaultSchedule& schedule) {
  return draw_fault_moment(
      random, schedule,
      {.at_start = 0.15,
       .at_mark = 0.4,
       .by_event = 0.65,
       .events = std::uint64_t{3} * schedule.processes * (std::uint64_t{1} + schedule.work),
       .duration_s = duration_s(schedule)});
}

/// Draws a fault that follows another: before the notice of that one, in the recovery after the
/// notice, or at the same instant as a separate fault.
faults::FaultSpec draw_following(Stream& random, const FaultSchedule& schedule,
                                 const faults::FaultSpec& before) {
  faults::FaultSpec next;
  next.time_s = before.time_s;
  next.event = before.event;
  next.mark = before.mark;
  const double manner = random.uniform();
  if (manner < 0.2 || next.mark) return next;
  if (next.event) {
    *next.event += 1 + random.below(std::uint64_t{6} * schedule.processes);
  } else if (manner < 0.5) {
    *next.time_s += schedule.notice_s * random.uniform();
  } else {
    const double message_s = schedule.latency_s + schedule.gap_s + 2 * schedule.overhead_s;
    *next.time_s += schedule.notice_s + 12 * message_s * random.uniform();
  }
  return next;
}

/// Adds a victim to a fault. It is rarely the root, whose death ends the run.
void draw_victim(Stream& random, const FaultSchedule& schedule, faults::FaultSpec& fault) {
  const auto first = static_cast<std::uint32_t>(random.chance(0.02) ? 0 : 1);
  const NodeId nodes = node_of(schedule, schedule.processes - 1) + 1;
  if (nodes > first + 1 && schedule.processes_per_node > 1 && random.chance(0.4))
    fault.nodes.push_back(first + static_cast<NodeId>(random.below(nodes - first)));
  else
    fault.ranks.push_back(first + static_cast<Rank>(random.below(schedule.processes - first)));
}

void draw_wide_faults(Stream& random, FaultSchedule& schedule) {
  const std::uint64_t deaths = 4 + random.below(9);
  const bool at_once = random.chance(0.3);
  for (std::uint64_t death = 0; death < deaths; ++death) {
    const double manner = at_once ? 1.0 : random.uniform();
    if (schedule.faults.empty() || manner < 0.3)
      schedule.faults.push_back(draw_wide_moment(random, schedule));
    else if (manner < 0.75)
      schedule.faults.push_back(draw_following(random, schedule, schedule.faults.back()));
    draw_victim(random, schedule, schedule.faults.back());
  }
  for (faults::FaultSpec& fault : schedule.faults)
    for (auto* victims : {&fault.ranks, &fault.nodes}) {
      std::sort(victims->begin(), victims->end());
      victims->erase(std::unique(victims->begin(), victims->end()), victims->end());
    }
}

/// Draws the delay from a death to its notice: none, a short one, or one that may last until all
/// work is done [s].
double draw_notice_s(Stream& random, const FaultSchedule& schedule) {
  const double manner = random.uniform();
  if (manner < 0.15) return 0.0;
  if (manner < 0.7) return spread(random, 1e-7, 1e-4);
  return duration_s(schedule) * 3 * random.uniform();
}

/// Draws how far apart the notices of a death come: not at all, by less than a message takes, or by
/// as much as all work [s]. It has a stream of its own, so that it changes no other draw.
double draw_spread_s(std::uint64_t number, const FaultSchedule& schedule) {
  Stream random(number, 1, Purpose::faults, 0);
  const double manner = random.uniform();
  if (manner < 0.5) return 0.0;
  if (manner < 0.8) return spread(random, 1e-7, 1e-4);
  return duration_s(schedule) * 2 * random.uniform();
}

FaultSchedule draw_wide(Stream& random) {
  FaultSchedule schedule;
  schedule.processes = static_cast<std::uint32_t>(std::lround(spread(random, 8.51, 64.49)));
  schedule.processes_per_node =
      random.chance(0.4) ? 1 : 1 + static_cast<std::uint32_t>(random.below(8));
  const std::array<const char*, 7> workloads{"token-ring",   "uniform-traffic", "random-tree",
                                             "flood",        "stencil",         "allreduce",
                                             "work-stealing"};
  schedule.workload = workloads[random.below(workloads.size())];
  schedule.work = 1 + static_cast<std::uint32_t>(random.below(12));
  schedule.width = 1 + static_cast<std::uint32_t>(random.below(8));
  if (schedule.workload == "uniform-traffic") {
    schedule.width = 1 + static_cast<std::uint32_t>(random.below(schedule.processes));
    schedule.to_itself = static_cast<std::uint32_t>(random.below(5));
  }
  const std::array progresses{scenario::Progress::dedicated, scenario::Progress::shared,
                              scenario::Progress::between};
  schedule.progress = progresses[random.below(progresses.size())];
  schedule.worker_cores = 1 + static_cast<std::uint32_t>(random.below(2));
  draw_machine(random, schedule);
  schedule.notice_s = draw_notice_s(random, schedule);
  if (random.chance(0.5)) schedule.reordering_s = spread(random, 1e-6, 5e-5);
  draw_wide_faults(random, schedule);
  return schedule;
}

}  // namespace

FaultSchedule draw_schedule(std::uint64_t number) {
  Stream random(number, 0, Purpose::faults, 0);
  FaultSchedule schedule = number % 10 == 0 ? draw_wide(random) : draw_small(random);
  schedule.seed = number;
  schedule.spread_s = draw_spread_s(number, schedule);
  return schedule;
}

}  // namespace faultline::lemmas
