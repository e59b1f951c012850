// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/worker_pool.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/interrupt.hpp"

namespace faultline::runs {

WorkerPool::WorkerPool(PoolSettings settings, DoTask work, TakeEnd take)
    : settings_(std::move(settings)), work_(std::move(work)), take_(std::move(take)) {
  const std::uint64_t jobs = std::max(1U, settings_.jobs);
  workers_ = std::vector<Worker>(std::min(jobs, settings_.tasks.value_or(jobs)));
}

void WorkerPool::run(const std::function<bool()>& is_over) {
  for (std::size_t i = 0; i < workers_.size(); ++i) launch(workers_[i], i);
  next_alone_ = workers_.size();
  while (!InterruptGuard::interrupted() && std::ranges::any_of(workers_, [](const Worker& worker) {
    return worker.process.running();
  }) && !is_over())
    wait_for_news();
  for (Worker& worker : workers_) worker.process.kill();
}

void WorkerPool::hand_on_rest() {
  for (auto& [task, end] : waiting_) take_(task, std::move(end));
  waiting_.clear();
}

double WorkerPool::under_way(
    const std::function<double(std::uint64_t task, double simulated_s)>& share) const {
  double sum = 0.0;
  for (const Worker& worker : workers_)
    if (worker.task && worker.process.running())
      sum += share(*worker.task, worker.process.simulated_s());
  return sum;
}

std::optional<std::uint64_t> WorkerPool::task_after(std::uint64_t task) const {
  const std::uint64_t next = task + workers_.size();
  return settings_.alone || !exists(next) ? std::nullopt : std::optional(next);
}

void WorkerPool::launch(Worker& worker, std::uint64_t first) {
  worker.task = first;
  worker.end = {};
  worker.begin = Clock::now();
  worker.process.start(
      [&](const WriteLine& write) {
        for (std::optional<std::uint64_t> task = first; task; task = task_after(*task))
          work_(*task, write);
      },
      settings_.worker);
}

/// Reads from the workers, but not from one that is far ahead of the others: the ends that wait for
/// their turn stay few.
void WorkerPool::wait_for_news() {
  constexpr std::uint64_t kAhead = 4096;
  std::vector<WorkerProcess*> processes;
  std::vector<Worker*> listened_to;
  for (Worker& worker : workers_) {
    if (worker.task && *worker.task >= handed_on_ + kAhead) continue;
    processes.push_back(&worker.process);
    listened_to.push_back(&worker);
  }
  wait_for_workers(
      processes, [&](std::size_t i) { read_news(*listened_to[i]); }, MemoryWatch::kPeriod_ms);
  if (settings_.watches_memory) memory_.look_if_due([this] { end_excess(); });
  if (settings_.patience_s)
    for (Worker* worker : listened_to) end_if_late(*worker);
}

void WorkerPool::end_excess() {
  std::vector<WatchedProcess> watched;
  watched.reserve(workers_.size());
  for (const Worker& worker : workers_)
    watched.push_back({worker.process.resident_bytes(), worker.task && settings_.memory_limit_B
                                                            ? settings_.memory_limit_B(*worker.task)
                                                            : std::nullopt});
  const auto excess = memory_excess(watched, memory_.machine_bytes());
  if (!excess) return;
  workers_[excess->process].excess = excess->why;
  workers_[excess->process].process.strike();
}

void WorkerPool::end_if_late(Worker& worker) {
  const double passed_s = std::chrono::duration<double>(Clock::now() - worker.begin).count();
  if (!worker.process.running() || passed_s <= *settings_.patience_s) return;
  worker.process.kill();
  worker.end.failure = "took too long";
  go_on(worker);
}

void WorkerPool::read_news(Worker& worker) {
  bool over = false;
  for (std::string& line : worker.process.read_lines(over)) {
    worker.end.lines.push_back(std::move(line));
    if (worker.end.lines.size() == settings_.lines_of_task) take_end(worker);
  }
  if (!over) return;
  const std::string why = worker.process.finish();
  worker.end.out_of_memory = !worker.excess.empty();
  worker.end.failure = worker.end.out_of_memory ? std::exchange(worker.excess, {})
                       : why.empty()            ? "exited with 0"
                                                : why;
  go_on(worker);
}

/// Takes the end of a worker's task; the worker turns to the next one.
void WorkerPool::take_end(Worker& worker) {
  waiting_.emplace(*worker.task, std::exchange(worker.end, {}));
  ++ended_;
  worker.task = task_after(*worker.task);
  worker.begin = Clock::now();
  worker.process.forget_simulated_time();
  while (!waiting_.empty() && waiting_.begin()->first == handed_on_) {
    take_(handed_on_++, std::move(waiting_.begin()->second));
    waiting_.erase(waiting_.begin());
  }
}

/// A worker that ended early has crashed in the task whose end is missing. A new worker goes on
/// with the task after that.
void WorkerPool::go_on(Worker& worker) {
  if (worker.task) take_end(worker);
  if (worker.task)
    launch(worker, *worker.task);
  else if (settings_.alone && exists(next_alone_))
    launch(worker, next_alone_++);
}

}  // namespace faultline::runs
