// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/theory/checkpoint_time.hpp"

#include <cmath>

namespace faultline::theory {

namespace {

/// The factor that both forms have in common: the average number of tries that fail before work and
/// checkpoint are complete, weighted by the time that they take.
double growth(const CheckpointModel& model, double work_s) {
  return std::exp(model.restore_s / model.mtbf_s) *
         std::expm1((work_s + model.checkpoint_s) / model.mtbf_s);
}

}  // namespace

double expected_segment_s(const CheckpointModel& model, double work_s, DownTime down) {
  const double both = growth(model, work_s);
  return down == DownTime::without_faults
             ? (model.mtbf_s + model.down_s) * both
             : model.mtbf_s * std::exp(model.down_s / model.mtbf_s) * both;
}

double expected_run_s(const CheckpointModel& model, std::uint64_t segments, double segment_work_s,
                      double rest_s, DownTime down) {
  CheckpointModel unsaved = model;
  unsaved.checkpoint_s = 0.0;
  return static_cast<double>(segments) * expected_segment_s(model, segment_work_s, down) +
         expected_segment_s(unsaved, rest_s, down);
}

double break_even_down_s(const CheckpointModel& model, double work_s, double segment_s,
                         DownTime down) {
  const double both = growth(model, work_s);
  return down == DownTime::without_faults
             ? segment_s / both - model.mtbf_s
             : model.mtbf_s * std::log(segment_s / both / model.mtbf_s);
}

}  // namespace faultline::theory
