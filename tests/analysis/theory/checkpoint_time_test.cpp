// SPDX-License-Identifier: Apache-2.0

// Closed forms of the time under checkpoints and faults: against runs of the model itself, and
// against the best interval found by search.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/core/checkpoint_interval.hpp"
#include "sim/core/random.hpp"
#include "tests/analysis/theory/checkpoint_time.hpp"

namespace faultline::theory {

namespace {

/// Plays a job through, fault by fault.
class PlayedJob {
 public:
  PlayedJob(const CheckpointModel& model, DownTime down, Stream& faults)
      : model_(model), down_(down), faults_(faults), fault_s_(faults.exponential(model.mtbf_s)) {}

  double segment_s(double work_s) {
    const double begin_s = now_s_;
    while (!lasts(work_s + model_.checkpoint_s)) recover();
    return now_s_ - begin_s;
  }

 private:
  /// False if a fault strikes before so much time is over.
  bool lasts(double duration_s) {
    if (fault_s_ >= now_s_ + duration_s) {
      now_s_ += duration_s;
      return true;
    }
    now_s_ = fault_s_;
    fault_s_ += faults_.exponential(model_.mtbf_s);
    return false;
  }
  void recover() {
    do
      if (down_ == DownTime::repeated)
        while (!lasts(model_.down_s)) continue;
      else
        stay_down();
    while (!lasts(model_.restore_s));
  }
  /// Faults that would strike meanwhile strike nobody.
  void stay_down() {
    now_s_ += model_.down_s;
    fault_s_ = now_s_ + faults_.exponential(model_.mtbf_s);
  }

  CheckpointModel model_;
  DownTime down_;
  Stream& faults_;
  double now_s_ = 0.0;
  double fault_s_;
};

struct Played {
  double mean_s = 0.0;
  double error_s = 0.0;  ///< standard error of the mean
};

Played play(const CheckpointModel& model, double work_s, DownTime down, std::uint64_t segments) {
  Stream faults(11, 0, Purpose::faults, static_cast<std::uint64_t>(model.mtbf_s));
  PlayedJob job(model, down, faults);
  double sum = 0.0;
  double squares = 0.0;
  for (std::uint64_t i = 0; i < segments; ++i) {
    const double time_s = job.segment_s(work_s);
    sum += time_s;
    squares += time_s * time_s;
  }
  const auto count = static_cast<double>(segments);
  const double mean_s = sum / count;
  return {mean_s, std::sqrt((squares / count - mean_s * mean_s) / count)};
}

/// The work between checkpoints that takes least time for each second of work.
double best_interval_s(const CheckpointModel& model) {
  const auto cost = [&](double work_s) {
    return expected_segment_s(model, work_s, DownTime::repeated) / work_s;
  };
  double low = 1e-6 * model.mtbf_s;
  double high = 10.0 * model.mtbf_s;
  for (int i = 0; i < 200; ++i) {
    const double a = low + (high - low) / 3.0;
    const double b = high - (high - low) / 3.0;
    (cost(a) < cost(b) ? high : low) = cost(a) < cost(b) ? b : a;
  }
  return low;
}

}  // namespace

TEST_CASE("checkpoint time: the closed forms are the means of played jobs", "[checkpoint_time]") {
  const std::vector<CheckpointModel> models{
      {.mtbf_s = 30, .checkpoint_s = 0.5, .restore_s = 1, .down_s = 7},
      {.mtbf_s = 10, .checkpoint_s = 1, .restore_s = 1, .down_s = 2},
      {.mtbf_s = 100, .checkpoint_s = 1, .restore_s = 0.5, .down_s = 30},
      {.mtbf_s = 1000, .checkpoint_s = 1, .restore_s = 1, .down_s = 100}};
  for (const CheckpointModel& model : models)
    for (const DownTime down : {DownTime::without_faults, DownTime::repeated})
      for (const double work_s : {3.0, 15.0}) {
        CAPTURE(model.mtbf_s, work_s, static_cast<int>(down));
        const Played played = play(model, work_s, down, 200000);
        const double expected_s = expected_segment_s(model, work_s, down);
        CHECK(std::abs(played.mean_s - expected_s) < 4.0 * played.error_s);
        CHECK(played.error_s < 0.02 * expected_s);
      }
}

TEST_CASE(
    "checkpoint time: the two forms are 2 % apart where faults are four times as rare as a "
    "recovery is long",
    "[checkpoint_time]") {
  const CheckpointModel model{.mtbf_s = 30, .checkpoint_s = 0.5, .restore_s = 1, .down_s = 7};
  const double without_s = expected_segment_s(model, 5, DownTime::without_faults);
  const double repeated_s = expected_segment_s(model, 5, DownTime::repeated);
  CHECK(repeated_s / without_s == Approx(1.02).margin(0.005));
  const CheckpointModel never_down{.mtbf_s = 30, .checkpoint_s = 0.5, .restore_s = 1};
  CHECK(expected_segment_s(never_down, 5, DownTime::without_faults) ==
        expected_segment_s(never_down, 5, DownTime::repeated));
}

TEST_CASE("checkpoint time: where faults are rare it is the work and the checkpoint",
          "[checkpoint_time]") {
  const CheckpointModel model{.mtbf_s = 1e15, .checkpoint_s = 2, .restore_s = 3, .down_s = 4};
  for (const DownTime down : {DownTime::without_faults, DownTime::repeated}) {
    CHECK(expected_segment_s(model, 10, down) == Approx(12));
    CHECK(expected_run_s(model, 7, 10, 5, down) == Approx(7 * 12 + 5));
  }
}

TEST_CASE("checkpoint time: a down time that breaks even gives the time that it is asked for",
          "[checkpoint_time]") {
  const CheckpointModel relaunch{.mtbf_s = 100, .checkpoint_s = 3, .restore_s = 1, .down_s = 40};
  const CheckpointModel other{.mtbf_s = 100, .checkpoint_s = 1, .restore_s = 0.2};
  const double goal_s = expected_segment_s(relaunch, 20, DownTime::without_faults);
  for (const DownTime down : {DownTime::without_faults, DownTime::repeated}) {
    CheckpointModel found = other;
    found.down_s = break_even_down_s(other, 20, goal_s, down);
    CHECK(found.down_s > 40);
    CHECK(expected_segment_s(found, 20, down) == Approx(goal_s));
    CHECK(break_even_down_s(relaunch, 40, goal_s, down) < 0);
  }
}

TEST_CASE("checkpoint interval: Young's and Daly's are close to the best one",
          "[checkpoint_time]") {
  for (const double checkpoint_s : {1e-3, 0.01, 0.1, 0.5, 1.0}) {
    CAPTURE(checkpoint_s);
    const CheckpointModel model{
        .mtbf_s = 1.0, .checkpoint_s = checkpoint_s, .restore_s = 0.3, .down_s = 0.2};
    const double best_s = best_interval_s(model);
    const auto cost = [&](double work_s) {
      return expected_segment_s(model, work_s, DownTime::repeated) / work_s;
    };
    if (checkpoint_s < 1.0)
      CHECK(daly_interval_s(checkpoint_s, 1.0) == Approx(best_s).epsilon(0.01));
    CHECK(cost(daly_interval_s(checkpoint_s, 1.0)) <= 1.001 * cost(best_s));
  }
  CHECK(young_interval_s(0.01, 1.0) == Approx(std::sqrt(0.02)));
  CHECK(young_interval_s(0.001, 1.0) == Approx(daly_interval_s(0.001, 1.0)).epsilon(0.02));
  CHECK(daly_interval_s(5.0, 2.0) == 2.0);
}

}  // namespace faultline::theory
