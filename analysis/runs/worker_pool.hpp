// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/memory_watch.hpp"
#include "analysis/runs/worker_process.hpp"

namespace faultline::runs {

/// How one task of a pool ended.
struct TaskEnd {
  std::vector<std::string> lines;  ///< what was written of it
  std::string failure;             ///< why its worker ended before the task did; "" if all is well
  bool out_of_memory = false;      ///< it was ended for that
};

struct PoolSettings {
  unsigned jobs = 1;
  std::optional<std::uint64_t> tasks = {};  ///< nothing: without end
  std::size_t lines_of_task = 1;            ///< a task has ended when it has written so many
  bool alone = false;                       ///< each task in a process of its own
  std::optional<double> patience_s = {};    ///< a task that takes longer is ended
  WorkerSettings worker = {};
  bool watches_memory = false;  ///< ends a worker that holds more than it may (memory_excess)
  /// What the worker of a task may hold, if anything is said of it.
  std::function<std::optional<std::uint64_t>(std::uint64_t)> memory_limit_B = {};
};

/// Does tasks 0, 1, ... in worker processes, so that a crash loses only one of them. Every n-th
/// task is done by the same worker. The tasks' ends are handed on in the order of the tasks, each
/// as soon as all before it have been handed on.
class WorkerPool {
 public:
  /// Does one task in a worker, and writes its lines.
  using DoTask = std::function<void(std::uint64_t task, const WriteLine& write)>;
  using TakeEnd = std::function<void(std::uint64_t task, TaskEnd end)>;

  WorkerPool(PoolSettings settings, DoTask work, TakeEnd take);

  /// Works until all tasks have ended, `is_over` (which is asked again and again) says so, or an
  /// interrupt comes, if an InterruptGuard lives. Then no worker is left.
  void run(const std::function<bool()>& is_over);

  /// After run(): hands on the tasks that ended after one that did not.
  void hand_on_rest();

  /// How many tasks have ended so far.
  [[nodiscard]] std::uint64_t ended() const { return ended_; }

  /// The sum over the tasks that are being done. `share`: how much of a task is done at a simulated
  /// time [s], from 0 to 1.
  [[nodiscard]] double under_way(
      const std::function<double(std::uint64_t task, double simulated_s)>& share) const;

 private:
  using Clock = std::chrono::steady_clock;

  /// A worker does its tasks in order.
  struct Worker {
    WorkerProcess process;
    std::optional<std::uint64_t> task;  ///< whose lines come next
    TaskEnd end;                        ///< of that task, as far as it is known
    std::string excess;                 ///< why the process was ended, if it took too much memory
    Clock::time_point begin;            ///< of that task
  };

  [[nodiscard]] bool exists(std::uint64_t task) const {
    return !settings_.tasks || task < *settings_.tasks;
  }
  /// The task after this one of the same worker, if there is one.
  [[nodiscard]] std::optional<std::uint64_t> task_after(std::uint64_t task) const;
  void launch(Worker& worker, std::uint64_t first);
  void wait_for_news();
  void end_excess();
  void end_if_late(Worker& worker);
  void read_news(Worker& worker);
  void take_end(Worker& worker);
  void go_on(Worker& worker);

  PoolSettings settings_;
  DoTask work_;
  TakeEnd take_;
  MemoryWatch memory_;
  std::vector<Worker> workers_;
  std::uint64_t next_alone_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t handed_on_ = 0;               ///< all tasks before this one were handed on
  std::map<std::uint64_t, TaskEnd> waiting_;  ///< ends that wait for earlier ones
};

}  // namespace faultline::runs
