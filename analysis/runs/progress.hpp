// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "sim/scenario/run_spec.hpp"

namespace faultline::runs {

/// How progress is shown: not at all, as one line that is rewritten on a terminal, or as lines in a
/// log.
enum class ProgressStyle { none, terminal, log };

/// Decides when progress is shown. On a terminal that is five times a second, beginning after one
/// second, so that short work shows nothing; in a log it is every ten seconds.
class ProgressTimes {
 public:
  explicit ProgressTimes(ProgressStyle style);
  /// True if progress is due this long after the work began. If so, sets the next time.
  bool due(double elapsed_s);

 private:
  double period_s_;
  double next_s_;
};

/// Shows the progress of work on standard error. The style depends on whether that is a terminal.
class ProgressTeller {
 public:
  explicit ProgressTeller(bool wanted);
  [[nodiscard]] ProgressStyle style() const { return style_; }
  [[nodiscard]] double elapsed_s() const;
  bool due() { return times_.due(elapsed_s()); }
  void tell(const std::string& words);
  /// Clears the line on a terminal.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  ProgressStyle style_;
  ProgressTimes times_;
  bool shown_ = false;
  Clock::time_point begin_;
};

/// How much of some work is done.
struct ProgressCount {
  std::size_t done = 0;
  std::size_t total = 0;
  std::size_t before = 0;  ///< part of `done` from before this began, which the rate ignores
  std::size_t failed = 0;
  double under_way = 0.0;    ///< what is done of that which is not done wholly
  double unchanged_s = 0.0;  ///< for how long none of these has changed
};

/// The part of a run that is done, from 0 to 1, at this simulated time [s]; 0 if the scenario does
/// not say when the run ends.
double share_of_run(const scenario::StopSpec& stop, double simulated_s);

/// Progress in words: "120 / 5000 replications, 12/s, 6 min 47 s left" on a terminal, "120 of 5000
/// replications, 6 min 47 s left" in a log; "0.40 of 1 replications" within a run. The time left
/// does not grow while nothing changes.
std::string progress_words(const ProgressCount& count, const std::string& what, double elapsed_s,
                           ProgressStyle style);

/// Shows the progress of work that is counted.
class ProgressLine {
 public:
  ProgressLine(bool wanted, std::string what);
  /// Sets how much was done before this began.
  void begin_with(std::size_t done) { before_ = done; }
  /// Shows how much is done; what `before` and `unchanged_s` say, it knows itself.
  void show(ProgressCount count);
  void finish() { teller_.finish(); }

 private:
  ProgressTeller teller_;
  std::size_t before_ = 0;
  double shown_ = -1.0;     ///< what was done when it last changed
  double changed_s_ = 0.0;  ///< when that was
  std::string what_;
};

/// A duration in words: "2 h 05 min", "3 min 20 s", "4 s".
std::string duration_words(double seconds);

}  // namespace faultline::runs
