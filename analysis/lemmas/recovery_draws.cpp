// SPDX-License-Identifier: Apache-2.0

// Draws the schedules for protocols of message logging.

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/lemmas/fault_moment.hpp"
#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/core/random.hpp"

namespace faultline::lemmas {

namespace {

/// The approximate number of events of the job if nobody dies.
std::uint64_t events_of(const FaultSchedule& schedule) {
  const std::uint64_t neighbours = schedule.preset == "lulesh"     ? 20
                                   : schedule.preset == "jacobi3d" ? 6
                                   : schedule.preset == "wave2d"   ? 4
                                                                   : 2 * (1 + schedule.width % 3);
  const std::uint64_t objects = std::uint64_t{schedule.processes} * schedule.objects_per_process;
  const std::uint64_t checkpoints = 2 + schedule.work / schedule.checkpoint_iterations;
  return objects * schedule.work * (1 + neighbours) + schedule.processes * checkpoints * 10;
}

/// A checkpoint of the program, or the one after its last.
faults::MarkSpec draw_checkpoint(Stream& random, const FaultSchedule& schedule) {
  return {"checkpoint", static_cast<std::int64_t>(
                            random.below(2 + schedule.work / schedule.checkpoint_iterations))};
}

/// Draws when the first rank dies.
faults::FaultSpec draw_first_moment(Stream& random, const FaultSchedule& schedule) {
  faults::FaultSpec fault;
  if (random.chance(0.25))
    fault.mark = draw_checkpoint(random, schedule);
  else
    fault.event = 1 + random.below(events_of(schedule));
  return fault;
}

/// Draws when another rank dies: while a rank recovers, when all that died before have recovered,
/// or at any time after the previous death. Half of these deaths come while nobody recovers, so
/// that all protocols must survive them.
faults::FaultSpec draw_later_moment(Stream& random, const FaultSchedule& schedule) {
  faults::FaultSpec fault;
  const std::uint64_t before = schedule.faults.back().event.value_or(0);
  const double manner = random.uniform();
  if (manner < 0.15)
    fault.mark = faults::MarkSpec{"recovery", static_cast<std::int64_t>(1 + random.below(2))};
  else if (manner < 0.45)
    fault.mark = faults::MarkSpec{"recovered", static_cast<std::int64_t>(schedule.faults.size())};
  else if (manner < 0.55)
    fault.mark = draw_checkpoint(random, schedule);
  else if (manner < 0.65 && before > 0)
    fault.event = before + 1 + random.below(30);
  else
    fault.event = before + 1 + random.below(2 * events_of(schedule));
  return fault;
}

/// Draws a victim: often the rank that keeps the image of the previous victim, one of its helpers,
/// or that victim again.
Rank draw_victim(Stream& random, const FaultSchedule& schedule, std::optional<Rank> before) {
  const double manner = random.uniform();
  if (before && schedule.helpers > 0) {
    if (manner < 0.2)
      return static_cast<Rank>((*before + 1 + random.below(helpers_of(schedule))) %
                               schedule.processes);
    if (manner > 0.7) return *before;  // its objects are away then
  }
  if (before && manner < 0.35) return (*before + schedule.processes_per_node) % schedule.processes;
  if (before && manner < 0.5) return *before;
  return static_cast<Rank>(random.below(schedule.processes));
}

void draw_faults(Stream& random, FaultSchedule& schedule) {
  const std::uint64_t deaths = 1 + random.below(3);
  std::optional<Rank> before;
  for (std::uint64_t death = 0; death < deaths; ++death) {
    faults::FaultSpec fault = schedule.faults.empty() ? draw_first_moment(random, schedule)
                                                      : draw_later_moment(random, schedule);
    const Rank victim = draw_victim(random, schedule, before);
    if (random.chance(0.1))
      fault.nodes.push_back(node_of(schedule, victim));
    else
      fault.ranks.push_back(victim);
    before = victim;
    schedule.faults.push_back(std::move(fault));
  }
}

void draw_program(Stream& random, FaultSchedule& schedule, const RecoverableProgram& program) {
  schedule.workload = program.any_order && random.chance(0.5) ? "ordered-stencil" : "stencil";
  const double preset = random.uniform();
  schedule.preset = preset < 0.6    ? "none"
                    : preset < 0.75 ? "wave2d"
                    : preset < 0.9  ? "jacobi3d"
                                    : "lulesh";
  schedule.width = static_cast<std::uint32_t>(random.below(3));
  schedule.work = 1 + static_cast<std::uint32_t>(random.below(schedule.preset == "lulesh" ? 3 : 6));
  schedule.checkpoint_iterations = 1 + static_cast<std::uint32_t>(random.below(3));
  if (program.helped || random.chance(0.6))
    schedule.objects_per_process = 2 + static_cast<std::uint32_t>(random.below(7));
}

}  // namespace

FaultSchedule draw_recovery_schedule(std::uint64_t number, const RecoverableProgram& program) {
  Stream random(number, 2, Purpose::faults, 0);
  FaultSchedule schedule;
  schedule.seed = number;
  schedule.processes = 2 + static_cast<std::uint32_t>(random.below(7));
  schedule.processes_per_node =
      1 + static_cast<std::uint32_t>(random.below(std::min(3U, schedule.processes - 1)));
  draw_program(random, schedule, program);
  if (program.helped) schedule.helpers = 1 + static_cast<std::uint32_t>(random.below(8));
  constexpr std::array kProgresses{scenario::Progress::dedicated, scenario::Progress::shared,
                                   scenario::Progress::between};
  schedule.progress = kProgresses[random.below(kProgresses.size())];
  schedule.worker_cores = 1 + static_cast<std::uint32_t>(random.below(2));
  draw_delays(random, schedule);
  // A helper often computes from a death of its guests' home until that has restarted.
  if (program.helped && random.chance(0.4)) schedule.compute_s = spread(random, 1e-4, 1e-2);
  // What a rank has sent before its death often comes after the agreement on its restart.
  const double reordering_s = random.chance(0.5) ? spread(random, 1e-6, 1e-3) : 0.0;
  if (program.unordered) schedule.reordering_s = reordering_s;
  draw_faults(random, schedule);
  schedule.spare_nodes = static_cast<std::uint32_t>(schedule.faults.size());
  return schedule;
}

}  // namespace faultline::lemmas
