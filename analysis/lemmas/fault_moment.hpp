// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analysis/lemmas/fault_schedule.hpp"
#include "sim/core/random.hpp"

namespace faultline::lemmas {

/// When the first of several faults may strike. The shares are cumulative; the rest of the faults
/// strikes at any time below duration_s.
struct FaultMoments {
  double at_start;
  double at_mark;  ///< if the workload sets a mark
  double by_event;
  std::uint64_t events;  ///< the largest number of an event
  double duration_s;
};

/// Draws a number whose logarithm is uniform.
double spread(Stream& random, double least, double most);

/// Draws the costs of computations and messages.
void draw_machine(Stream& random, FaultSchedule& schedule);

/// Draws the costs of computations and messages, and when deaths are told and restarts are over.
void draw_delays(Stream& random, FaultSchedule& schedule);

/// Draws a fault without victims.
faults::FaultSpec draw_fault_moment(Stream& random, const FaultSchedule& schedule,
                                    const FaultMoments& moments);

}  // namespace faultline::lemmas
