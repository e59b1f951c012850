// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/replications.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "analysis/lemmas/needless_fatal.hpp"
#include "analysis/runs/memory_watch.hpp"
#include "analysis/runs/progress.hpp"
#include "analysis/runs/run_record.hpp"
#include "analysis/runs/worker_process.hpp"
#include "sim/core/error.hpp"
#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/problems.hpp"

namespace faultline {

namespace {

/// The outcome of one task: a line or an error.
struct Finished {
  std::string line;            ///< what the worker wrote; "" if it crashed
  std::string error;           ///< why it crashed
  bool out_of_memory = false;  ///< it was ended for that
};

/// A worker process simulates tasks in order and writes one line for each.
struct Worker {
  WorkerProcess process;
  std::optional<std::size_t> task;  ///< the task whose line comes next
  std::string excess;               ///< why it was ended, if it took too much memory
};

/// Tasks are the replications of the first point, then those of the second, and so on.
class Pool {
 public:
  Pool(const Scenario& scenario, const ReplicationSettings& settings,
       const TakeReplication& hand_on)
      : scenario_(scenario),
        hand_on_(hand_on),
        progress_(settings.progress, "replications"),
        alone_(scenario.engine == EngineKind::simgrid),
        tasks_(scenario.points.size() * scenario.replications),
        workers_(std::min<std::size_t>(std::max(1U, settings.jobs), tasks_)) {}

  ReplicationEnd run() {
    const InterruptGuard guard;
    for (std::size_t i = 0; i < workers_.size(); ++i) launch(workers_[i], i);
    next_alone_ = workers_.size();
    while (!InterruptGuard::interrupted() &&
           std::any_of(workers_.begin(), workers_.end(),
                       [](const Worker& worker) { return worker.process.running(); }))
      wait_for_news();
    for (Worker& worker : workers_) worker.process.kill();
    progress_.finish();
    for (auto& [task, finished] : waiting_) hand_on(task, finished);
    return {tasks_, InterruptGuard::interrupted()};
  }

 private:
  /// LogGP workers take every n-th task. SimGrid allows one simulation per process, so with it each
  /// task has a worker of its own.
  [[nodiscard]] std::size_t stride() const { return alone_ ? tasks_ : workers_.size(); }

  void launch(Worker& worker, std::size_t first) {
    worker.task = first;
    worker.process.start([&](const WriteLine& write) {
      for (std::size_t task = first; task < tasks_; task += stride())
        write(replication_line(scenario_, simulated(scenario_, task / scenario_.replications,
                                                    task % scenario_.replications)));
    });
  }

  /// Reads from the workers, but not from one that is far ahead of the others: the lines that wait
  /// for their turn stay few.
  void wait_for_news() {
    constexpr std::size_t kAhead = 1024;
    std::vector<WorkerProcess*> processes;
    std::vector<Worker*> listened_to;
    for (Worker& worker : workers_) {
      if (worker.task && *worker.task >= handed_on_ + kAhead) continue;
      processes.push_back(&worker.process);
      listened_to.push_back(&worker);
    }
    wait_for_workers(
        processes, [&](std::size_t i) { read_news(*listened_to[i]); }, MemoryWatch::kPeriod_ms);
    memory_.look_if_due([this] { end_excess(); });
    progress_.show(finished_, tasks_);
  }

  void end_excess() {
    std::vector<WatchedProcess> watched;
    watched.reserve(workers_.size());
    for (const Worker& worker : workers_)
      watched.push_back({worker.process.resident_bytes(), memory_limit_of(worker)});
    const auto excess = memory_excess(watched, memory_.machine_bytes());
    if (!excess) return;
    workers_[excess->process].excess = excess->why;
    workers_[excess->process].process.strike();
  }

  [[nodiscard]] std::optional<std::uint64_t> memory_limit_of(const Worker& worker) const {
    if (!worker.task) return std::nullopt;
    return scenario_.points[*worker.task / scenario_.replications].stop.memory_bytes;
  }

  void read_news(Worker& worker) {
    bool over = false;
    for (std::string& line : worker.process.read_lines(over)) take(worker, {std::move(line), {}});
    if (over) ended(worker);
  }

  void take(Worker& worker, Finished finished) {
    waiting_.emplace(*worker.task, std::move(finished));
    ++finished_;
    *worker.task += stride();
    if (*worker.task >= tasks_) worker.task.reset();
    while (!waiting_.empty() && waiting_.begin()->first == handed_on_) {
      hand_on(handed_on_++, waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }

  void hand_on(std::size_t task, const Finished& finished) const {
    ReplicationRecord record = finished.error.empty()
                                   ? read_replication_line(finished.line)
                                   : ReplicationRecord{.run = std::nullopt,
                                                       .error = finished.error,
                                                       .out_of_memory = finished.out_of_memory};
    record.point = task / scenario_.replications;
    record.replication = task % scenario_.replications;
    hand_on_(std::move(record));
  }

  /// A worker that ends early has crashed in the task whose line is missing. A new worker goes on
  /// with the task after that.
  void ended(Worker& worker) {
    const std::string why = worker.process.finish();
    const std::string excess = std::exchange(worker.excess, {});
    if (worker.task && !excess.empty())
      take(worker, {{}, excess, true});
    else if (worker.task)
      take(worker, {{}, "the worker process " + (why.empty() ? "exited with 0" : why)});
    if (worker.task)
      launch(worker, *worker.task);
    else if (alone_ && next_alone_ < tasks_)
      launch(worker, next_alone_++);
  }

  const Scenario& scenario_;
  const TakeReplication& hand_on_;
  ProgressLine progress_;
  MemoryWatch memory_;
  bool alone_;
  std::size_t tasks_;
  std::vector<Worker> workers_;
  std::size_t next_alone_ = 0;
  std::size_t finished_ = 0;
  std::size_t handed_on_ = 0;                ///< all tasks before this one were handed on
  std::map<std::size_t, Finished> waiting_;  ///< finished tasks that wait for earlier ones
};

/// A run, and the rank whose detector gave up, if that must still be judged.
struct FirstRun {
  RunRecord run;
  std::optional<Rank> gave_up;
};

using MakeFirstRun = std::function<FirstRun()>;

/// What the runtime knows of a broken invariant, and the scenario, in one line.
std::string internal_error(const std::string& what, const std::string& scenario) {
  return "internal error: " + what + ", scenario " + in_quotes(scenario);
}

/// The run that `make` makes, or the error that it throws.
template <class Make>
ReplicationRecord record_or_error(const Scenario& scenario, std::size_t point,
                                  std::uint64_t replication, Make make) {
  ReplicationRecord record{
      .point = point, .replication = replication, .run = std::nullopt, .error = {}};
  try {
    record.run = make();
  } catch (const std::bad_alloc&) {
    record.error = "out of memory";
    record.out_of_memory = true;
  } catch (const BrokenInvariant& error) {
    record.error = internal_error(error.what(), scenario.name);
  } catch (const std::exception& error) {
    record.error = error.what();
  }
  return record;
}

/// Makes the run in a child, which sends the run in one line and, if a rank gave up, its number in
/// a second one.
FirstRun in_process_of_its_own(const Scenario& scenario, std::size_t point,
                               std::uint64_t replication, const MakeFirstRun& make) {
  std::vector<std::string> lines;
  in_processes(
      1,
      [&](unsigned, const WriteLine& write) {
        FirstRun first;
        write(replication_line(scenario, record_or_error(scenario, point, replication, [&] {
                                 first = make();
                                 return first.run;
                               })));
        if (first.gave_up) write(std::to_string(*first.gave_up));
      },
      [&lines](const std::string& line) { lines.push_back(line); });
  if (lines.empty()) throw RunError("interrupted");
  ReplicationRecord record = read_replication_line(lines.front());
  if (record.out_of_memory) throw std::bad_alloc();
  if (!record.run) throw RunError(record.error);
  FirstRun first{std::move(*record.run), std::nullopt};
  if (lines.size() > 1) first.gave_up = static_cast<Rank>(std::stoul(lines[1]));
  return first;
}

/// A run in which a detector gave up is repeated, so that it can be watched and judged. SimGrid
/// allows one simulation per process, so the first run then has a process of its own.
RunRecord judged_run(const Scenario& scenario, std::size_t point, std::uint64_t replication) {
  const RunSpec& spec = scenario.points[point];
  const bool may_be_judged = spec.has_faults() && gives_up_by_messages(spec);
  if (may_be_judged && spec.order) {
    FactLog log(spec.platform.processes);
    engine::RunResult result =
        engine::run_simulation(spec, scenario.engine, scenario.seed, replication, &log);
    judge_both_ways(spec, log, result);
    return run_record(replication, result);
  }
  const MakeFirstRun make = [&] {
    const engine::RunResult result =
        engine::run_simulation(spec, scenario.engine, scenario.seed, replication);
    FirstRun first{run_record(replication, result), std::nullopt};
    if (may_be_judged && detector_gave_up(result)) first.gave_up = result.fatal_actor;
    return first;
  };
  const bool alone = may_be_judged && scenario.engine == EngineKind::simgrid;
  FirstRun first = alone ? in_process_of_its_own(scenario, point, replication, make) : make();
  if (!first.gave_up) return std::move(first.run);
  return run_record(replication, judged_simulation(spec, scenario.engine, scenario.seed,
                                                   replication, *first.gave_up));
}

}  // namespace

ReplicationRecord simulated(const Scenario& scenario, std::size_t point,
                            std::uint64_t replication) {
  return record_or_error(scenario, point, replication,
                         [&] { return judged_run(scenario, point, replication); });
}

ReplicationResults run_replications(const Scenario& scenario, const ReplicationSettings& settings) {
  ReplicationResults results;
  const ReplicationEnd end = run_replications(scenario, settings, [&](ReplicationRecord record) {
    results.records.push_back(std::move(record));
  });
  results.planned = end.planned;
  results.interrupted = end.interrupted;
  return results;
}

ReplicationEnd run_replications(const Scenario& scenario, const ReplicationSettings& settings,
                                const TakeReplication& take) {
  return Pool(scenario, settings, take).run();
}

}  // namespace faultline
