// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/fault_moment.hpp"

#include <cmath>

#include "sim/core/registry.hpp"

namespace faultline::lemmas {

namespace {

/// The first mark that the workload declares, null if it sets none.
const Mark* mark_of(const FaultSchedule& schedule) {
  const Registration* workload = find_registration(Family::workload, schedule.workload);
  return workload == nullptr || workload->marks.empty() ? nullptr : workload->marks.front();
}

}  // namespace

double spread(Stream& random, double least, double most) {
  return least * std::pow(most / least, random.uniform());
}

void draw_machine(Stream& random, FaultSchedule& schedule) {
  schedule.compute_s = spread(random, 1e-6, 1e-4);
  schedule.overhead_s = spread(random, 1e-7, 4e-6);
  schedule.latency_s = spread(random, 3e-7, 3e-5);
  schedule.gap_s = spread(random, 1e-7, 1e-5);
}

void draw_delays(Stream& random, FaultSchedule& schedule) {
  draw_machine(random, schedule);
  schedule.notice_s = spread(random, 1e-7, 1e-3);
  if (random.chance(0.5)) schedule.spread_s = spread(random, 1e-7, 1e-3);
  if (random.chance(0.5)) schedule.restart_delay_s = spread(random, 1e-6, 1e-2);
}

faults::FaultSpec draw_fault_moment(Stream& random, const FaultSchedule& schedule,
                                    const FaultMoments& moments) {
  faults::FaultSpec fault;
  const double manner = random.uniform();
  const Mark* mark = mark_of(schedule);
  if (manner < moments.at_start)
    fault.time_s = 0.0;
  else if (manner < moments.at_mark && mark != nullptr)
    fault.mark =
        faults::MarkSpec{mark->name, static_cast<std::int64_t>(random.below(schedule.work + 1))};
  else if (manner < moments.by_event)
    fault.event = 1 + random.below(moments.events);
  else
    fault.time_s = moments.duration_s * random.uniform();
  return fault;
}

}  // namespace faultline::lemmas
