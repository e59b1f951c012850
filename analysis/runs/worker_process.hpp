#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/interrupt.hpp"

namespace faultline {

/// Sends one line from a worker to its parent.
using WriteLine = std::function<void(const std::string&)>;

/// What a worker does, in a process of its own.
using Work = std::function<void(const WriteLine&)>;

struct WorkerSettings {
  std::optional<std::uint64_t> memory_limit_B;  ///< of its data; beyond it allocations fail
  bool keep_log = false;                        ///< of what it prints, instead of passing it on
};

/// A child process that sends lines until it ends. It dies with its parent, and no signal to the
/// process group ends it.
class WorkerProcess {
 public:
  WorkerProcess() = default;
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  /// Throws RunError when no process can be made.
  void start(const Work& work, const WorkerSettings& settings = {});

  [[nodiscard]] bool running() const { return pid_ > 0; }

  /// The lines that have come, without waiting for more than one piece; `ended` says whether the
  /// worker will send no more.
  std::vector<std::string> read_lines(bool& ended);

  /// Waits for the end of a worker that will send no more. Returns "" if it ended by itself and
  /// well, else "was killed: Segmentation fault" or "exited with 1".
  std::string finish();

  /// Ends it at once; nothing if it does not run.
  void kill();

  /// The last words that it printed, with `keep_log`.
  [[nodiscard]] std::string log() const;

 private:
  friend void wait_for_workers(const std::vector<WorkerProcess*>& workers,
                               const std::function<void(std::size_t)>& news, int patience_ms);

  void close_pipe();

  pid_t pid_ = -1;
  int pipe_ = -1;
  int log_ = -1;
  std::string unread_;
};

/// Waits until running workers have news, or for `patience_ms`; calls `news` with the index of each
/// that has some.
void wait_for_workers(const std::vector<WorkerProcess*>& workers,
                      const std::function<void(std::size_t)>& news, int patience_ms);

/// Runs `body(0, write)` to `body(count - 1, write)` at once, each in a process of its own, until
/// they end or an interrupt comes; `heard` gets every line that one writes. Throws RunError where
/// one cannot be started or does not end well.
void in_processes(unsigned count, const std::function<void(unsigned, const WriteLine&)>& body,
                  const std::function<void(const std::string&)>& heard);

}  // namespace faultline
