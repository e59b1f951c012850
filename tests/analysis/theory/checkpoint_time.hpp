// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace faultline::theory {

/// A job that writes checkpoints and goes back to the last one after a fault. Faults come at
/// exponential intervals.
struct CheckpointModel {
  double mtbf_s = 1.0;        ///< M: mean time between faults of the whole job
  double checkpoint_s = 0.0;  ///< C: to write a checkpoint; a fault in it destroys it
  double restore_s = 0.0;     ///< R: to read one, which a fault interrupts
  double down_s = 0.0;        ///< D: from a fault until the checkpoint is read
};

/// The effect of a fault that strikes while the job is down.
enum class DownTime {
  without_faults,  ///< none strikes: nobody is there to be struck
  repeated,        ///< the job is then down for another D
};

/// The expected time until `work_s` of work and a checkpoint after it are done, in seconds. With l
/// = 1 / M, it is e^(lR) (1/l + D) (e^(l(w+C)) - 1) without faults while the job is down, and
/// e^(l(R+D)) (e^(l(w+C)) - 1) / l if it is down again (Daly, FGCS 22(3), 2006, and Bougeret et
/// al., SC'11, have the first one).
double expected_segment_s(const CheckpointModel& model, double work_s, DownTime down);

/// The expected time of that many segments with a checkpoint after each, and of `rest_s` of work
/// without one.
double expected_run_s(const CheckpointModel& model, std::uint64_t segments, double segment_work_s,
                      double rest_s, DownTime down);

/// The time that the job may be down after each fault for a segment to take `segment_s` on average:
/// there, two ways of recovery take equally long. Negative if even D = 0 takes longer.
double break_even_down_s(const CheckpointModel& model, double work_s, double segment_s,
                         DownTime down);

}  // namespace faultline::theory
