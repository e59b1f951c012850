// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace faultline::runs {

/// A simulating process, and the memory that it holds.
struct WatchedProcess {
  std::uint64_t resident_B = 0;
  std::optional<std::uint64_t> limit_B;  ///< `stop.memory_bytes`, if the scenario states it
};

/// A process that must end, and why.
struct MemoryExcess {
  std::size_t process = 0;  ///< its place among the watched processes
  std::string why;
};

/// The first process that holds more than its limit. Processes without one may hold three quarters
/// of the machine together; if they hold more, the largest of them.
std::optional<MemoryExcess> memory_excess(const std::vector<WatchedProcess>& processes,
                                          std::uint64_t machine_bytes);

/// The memory that a process and its children hold. 0 if it has ended.
std::uint64_t resident_bytes(pid_t process);

/// The memory of this machine, or as much of it as the control groups of this process may take.
std::uint64_t machine_memory_bytes();

/// Decides when to look again at processes, whose memory can grow by gigabytes in a second.
class MemoryWatch {
 public:
  static constexpr int kPeriod_ms = 50;

  /// Calls `look` if it is time. It does so rarely enough to take at most a twentieth of the time,
  /// however many processes there are.
  template <class Look>
  void look_if_due(Look look) {
    const Clock::time_point begin = Clock::now();
    if (begin < next_) return;
    look();
    const Clock::time_point end = Clock::now();
    next_ = end + std::max<Clock::duration>(std::chrono::milliseconds(kPeriod_ms),
                                            kSeldom * (end - begin));
  }
  [[nodiscard]] std::uint64_t machine_bytes() const { return machine_bytes_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kSeldom = 20;

  std::uint64_t machine_bytes_ = machine_memory_bytes();
  Clock::time_point next_ = Clock::now();
};

}  // namespace faultline::runs
