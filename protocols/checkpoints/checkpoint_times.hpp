// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/metrics.hpp"

namespace faultline::checkpoints {

/// How long the checkpoints of a rank take, for a metric.
class CheckpointTimes {
 public:
  /// A checkpoint is begun, whatever has become of the one before.
  void begin(double now_s) { begin_s_ = now_s; }
  /// The program goes on.
  void end(double now_s) {
    all_s_ += now_s - begin_s_;
    ++count_;
  }
  [[nodiscard]] double begin_s() const { return begin_s_; }
  /// `mean`: over all checkpoints of all ranks.
  void report(const MetricSpec& mean, MetricTotals& totals) const {
    totals.put_weighted(mean, all_s_, static_cast<double>(count_));
  }

 private:
  double begin_s_ = 0.0;
  double all_s_ = 0.0;
  std::uint64_t count_ = 0;
};

}  // namespace faultline::checkpoints
