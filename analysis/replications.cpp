#include "analysis/replications.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "analysis/needless_fatal.hpp"
#include "analysis/progress.hpp"
#include "analysis/run_record.hpp"
#include "analysis/worker_process.hpp"
#include "sim/core/error.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/json_reader.hpp"

namespace faultline {

namespace {

struct Task {
  std::size_t point;
  std::uint64_t replication;
};

/// A worker process runs its tasks in order and writes one line for each.
struct Worker {
  WorkerProcess process;
  std::vector<std::size_t> tasks;  ///< indices, in order
  std::size_t done = 0;
};

class Pool {
 public:
  Pool(const Scenario& scenario, const ReplicationSettings& settings)
      : scenario_(scenario), progress_(settings.progress, "replications") {
    for (std::size_t point = 0; point < scenario.points.size(); ++point)
      for (std::uint64_t replication = 0; replication < scenario.replications; ++replication)
        tasks_.push_back({point, replication});
    records_.resize(tasks_.size());
    deal(std::min<std::size_t>(std::max(1U, settings.jobs), tasks_.size()));
  }

  ReplicationResults run() {
    const InterruptGuard guard;
    for (std::size_t i = 0; i < running_; ++i) launch(workers_[i]);
    while (!InterruptGuard::interrupted() &&
           std::any_of(workers_.begin(), workers_.end(),
                       [](const Worker& worker) { return worker.process.running(); }))
      wait_for_news();
    for (Worker& worker : workers_) worker.process.kill();
    progress_.finish();
    ReplicationResults results;
    results.planned = tasks_.size();
    results.interrupted = InterruptGuard::interrupted();
    for (auto& record : records_)
      if (record) results.records.push_back(std::move(*record));
    return results;
  }

 private:
  /// LogGP workers take every n-th task. SimGrid allows one simulation per process, so that there
  /// each task has a worker of its own, `jobs` of them at a time.
  void deal(std::size_t jobs) {
    running_ = jobs;
    const bool alone = scenario_.engine == EngineKind::simgrid;
    workers_.resize(alone ? tasks_.size() : jobs);
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      workers_[alone ? i : i % jobs].tasks.push_back(i);
    next_to_launch_ = running_;
  }

  void launch(Worker& worker) {
    worker.process.start([&](const WriteLine& write) {
      for (std::size_t i = worker.done; i < worker.tasks.size(); ++i) {
        const Task& task = tasks_[worker.tasks[i]];
        write(to_json(simulated(scenario_, task.point, task.replication)));
      }
    });
  }

  void wait_for_news() {
    constexpr int kProgress_ms = 200;
    std::vector<WorkerProcess*> processes;
    processes.reserve(workers_.size());
    for (Worker& worker : workers_) processes.push_back(&worker.process);
    wait_for_workers(
        processes, [&](std::size_t i) { read_news(workers_[i]); }, kProgress_ms);
    progress_.show(finished_, tasks_.size());
  }

  void read_news(Worker& worker) {
    bool over = false;
    for (const std::string& line : worker.process.read_lines(over)) take(worker, line);
    if (over) ended(worker);
  }

  void take(Worker& worker, const std::string& line) {
    const std::size_t index = worker.tasks[worker.done++];
    Problems problems("worker");
    JsonValue json = parse_json(line, problems);
    const JsonValue* error = json.find("error");
    record(index, error == nullptr ? std::move(json) : JsonValue(),
           error == nullptr ? std::string() : *error->text());
  }

  void record(std::size_t index, JsonValue json, std::string error) {
    const Task& task = tasks_[index];
    records_[index] =
        ReplicationRecord{task.point, task.replication, std::move(json), std::move(error)};
    ++finished_;
  }

  /// A worker that ends before its tasks do has crashed in the next one; another goes on after it.
  void ended(Worker& worker) {
    const std::string why = worker.process.finish();
    if (worker.done < worker.tasks.size()) {
      record(worker.tasks[worker.done++], JsonValue(),
             "the worker process " + (why.empty() ? "exited with 0" : why));
      if (worker.done < worker.tasks.size()) {
        launch(worker);
        return;
      }
    }
    if (next_to_launch_ < workers_.size()) launch(workers_[next_to_launch_++]);
  }

  const Scenario& scenario_;
  ProgressLine progress_;
  std::vector<Task> tasks_;
  std::vector<std::optional<ReplicationRecord>> records_;
  std::vector<Worker> workers_;
  std::size_t running_ = 0;
  std::size_t next_to_launch_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace

namespace {

/// What `make` makes, or why it could not.
template <class Make>
JsonValue or_error(Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return json_object({{"error", "out of memory"}});
  } catch (const std::exception& error) {
    return json_object({{"error", error.what()}});
  }
}

JsonValue in_process_of_its_own(const std::function<JsonValue()>& make) {
  std::string answer;
  in_processes(
      1, [&](unsigned, const WriteLine& write) { write(to_json(or_error(make))); },
      [&answer](const std::string& line) { answer = line; });
  Problems problems("worker");
  return parse_json(answer, problems);
}

/// A run that a detector has given up is made once more, to be watched and judged. SimGrid allows
/// one simulation in a process.
JsonValue judged_record(const Scenario& scenario, std::size_t point, std::uint64_t replication) {
  constexpr const char* kWho = "gave_up";
  const RunSpec& spec = scenario.points[point];
  const bool may_be_judged = spec.has_faults() && gives_up_by_messages(spec);
  const auto first_run = [&] {
    const RunResult result = run_simulation(spec, scenario.engine, scenario.seed, replication);
    if (may_be_judged && detector_gave_up(result))
      return json_object({{kWho, std::int64_t{result.fatal_actor}}});
    return run_record(scenario, point, replication, result);
  };
  const bool alone = may_be_judged && scenario.engine == EngineKind::simgrid;
  JsonValue record = alone ? in_process_of_its_own(first_run) : first_run();
  const JsonValue* who = record.find(kWho);
  if (who == nullptr) return record;
  const auto rank = static_cast<Rank>(std::get<std::int64_t>(who->data));
  return run_record(scenario, point, replication,
                    judged_simulation(spec, scenario.engine, scenario.seed, replication, rank));
}

}  // namespace

JsonValue simulated(const Scenario& scenario, std::size_t point, std::uint64_t replication) {
  return or_error([&] { return judged_record(scenario, point, replication); });
}

ReplicationResults run_replications(const Scenario& scenario, const ReplicationSettings& settings) {
  return Pool(scenario, settings).run();
}

ExitCode exit_code(const std::string& outcome, bool violated) {
  const bool limit = outcome == "limit";
  const bool good = outcome == "terminated" || outcome == "finished" ||
                    outcome == "fatal-reported" || outcome == "all-failed" || limit;
  if (!good || violated) return kExitViolation;
  return limit ? kExitRun : kExitGood;
}

ExitCode exit_code(const ReplicationResults& results) {
  ExitCode code = kExitGood;
  for (const ReplicationRecord& record : results.records) {
    if (!record.error.empty()) {
      code = std::max(code, kExitRun);
      continue;
    }
    code = std::max(code, exit_code(*record.json.find("metrics")->find("outcome")->text(),
                                    !record.json.find("violations")->list()->empty()));
  }
  if (results.interrupted) code = std::max(code, kExitInterrupted);
  return code;
}

}  // namespace faultline
