#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace faultline {

/// One line on stderr, rewritten: done of total, rate, time left. Silent unless asked for, and
/// during the first second, so that short work shows nothing.
class ProgressLine {
 public:
  ProgressLine(bool wanted, std::string what);
  /// What was done before, which does not count for the rate.
  void begin_with(std::size_t done) { before_ = done; }
  void show(std::size_t done, std::size_t total, std::size_t failed = 0);
  /// Clears the line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  bool shown_ = false;
  std::size_t before_ = 0;
  std::string what_;
  Clock::time_point begin_;
  Clock::time_point last_;
};

/// "2 h 05 min", "3 min 20 s", "4 s".
std::string duration_words(double seconds);

}  // namespace faultline
