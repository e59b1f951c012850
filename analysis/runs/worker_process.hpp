// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/told_time.hpp"
#include "sim/core/interrupt.hpp"

namespace faultline::runs {

/// Sends one line from a worker to its parent.
using WriteLine = std::function<void(const std::string&)>;

/// The work of a worker. It runs in its own process.
using Work = std::function<void(const WriteLine&)>;

struct WorkerSettings {
  std::optional<std::uint64_t> memory_limit_B;  ///< limit on its data; allocations beyond it fail
  bool keep_log = false;                        ///< keep what it prints instead of passing it on
};

/// A child process that sends lines until it ends. It is killed when its parent dies. Signals to
/// the process group do not end it.
class WorkerProcess {
 public:
  WorkerProcess() = default;
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  /// Starts the worker. Throws RunError if no process can be created.
  void start(const Work& work, const WorkerSettings& settings = {});

  [[nodiscard]] bool running() const { return pid_ > 0; }

  /// Returns the lines that have arrived; waits for one read at most. Sets `ended` if the worker
  /// will send no more.
  std::vector<std::string> read_lines(bool& ended);

  /// Waits for a worker that will send no more to end. Returns "" if it ended normally with code 0,
  /// else "was killed: Segmentation fault" or "exited with 1".
  std::string finish();

  /// Kills the worker at once. Does nothing if none is running.
  void kill();
  /// Kills the worker; what it has written can still be read, and finish() is due.
  void strike() const;

  /// The memory that the worker and its children hold. 0 if none is running.
  [[nodiscard]] std::uint64_t resident_bytes() const;

  /// The simulated time of the run that it is in [s], as far as it has told; 0 before.
  [[nodiscard]] double simulated_s() const { return told_.simulated_s(); }
  /// A run has ended: what the worker told of it counts no more.
  void forget_simulated_time() { told_.forget(); }

  /// The end of what it printed, with `keep_log`.
  [[nodiscard]] std::string log() const;

 private:
  friend void wait_for_workers(const std::vector<WorkerProcess*>& workers,
                               const std::function<void(std::size_t)>& news, int patience_ms);

  void close_pipe();

  pid_t pid_ = -1;
  int pipe_ = -1;
  int log_ = -1;
  ToldTime told_;
  std::string unread_;
};

/// Waits until a running worker has something to read, for at most `patience_ms`. Calls `news` with
/// the index of each that has.
void wait_for_workers(const std::vector<WorkerProcess*>& workers,
                      const std::function<void(std::size_t)>& news, int patience_ms);

/// Runs `body(0, write)` to `body(count - 1, write)` at the same time, each in its own process,
/// until all end or an interrupt comes. `heard` gets every line that they write. Throws RunError if
/// one cannot be started or does not end well.
void in_processes(unsigned count, const std::function<void(unsigned, const WriteLine&)>& body,
                  const std::function<void(const std::string&)>& heard);

}  // namespace faultline::runs
