#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace faultline {

/// How progress is told: not at all, as one line of a terminal that is written anew, or as lines
/// for a log.
enum class ProgressStyle { none, terminal, log };

/// When progress is told: on a terminal five times a second, but not in the first second, so that
/// short work shows nothing; in a log each ten seconds.
class ProgressTimes {
 public:
  explicit ProgressTimes(ProgressStyle style);
  /// Is it time to tell, so long after the work has begun? Then it is told.
  bool due(double elapsed_s);

 private:
  double period_s_;
  double next_s_;
};

/// Tells of work that goes on, on standard error: its style is what that is.
class ProgressTeller {
 public:
  explicit ProgressTeller(bool wanted);
  [[nodiscard]] ProgressStyle style() const { return style_; }
  [[nodiscard]] double elapsed_s() const;
  bool due() { return times_.due(elapsed_s()); }
  void tell(const std::string& words);
  /// Clears the line of a terminal.
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
  std::size_t before = 0;  ///< of what is done: long ago, which does not count for the rate
  std::size_t failed = 0;
};

/// "120 / 5000 replications, 12/s, 6 min 47 s left" on a terminal, "120 of 5000 replications, 6 min
/// 47 s left" in a log.
std::string progress_words(const ProgressCount& count, const std::string& what, double elapsed_s,
                           ProgressStyle style);

/// Progress of work that is counted.
class ProgressLine {
 public:
  ProgressLine(bool wanted, std::string what);
  /// What was done before.
  void begin_with(std::size_t done) { before_ = done; }
  void show(std::size_t done, std::size_t total, std::size_t failed = 0);
  void finish() { teller_.finish(); }

 private:
  ProgressTeller teller_;
  std::size_t before_ = 0;
  std::string what_;
};

/// "2 h 05 min", "3 min 20 s", "4 s".
std::string duration_words(double seconds);

}  // namespace faultline
