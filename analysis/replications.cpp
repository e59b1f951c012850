#include "analysis/replications.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "analysis/progress.hpp"
#include "analysis/run_record.hpp"
#include "sim/core/error.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/json_reader.hpp"

namespace faultline {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) { interrupted = 1; }

/// Ends what the user asked to end, without losing what is done: signals only set a flag.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = on_interrupt;  // NOLINT(cppcoreguidelines-pro-type-union-access)
    sigaction(SIGINT, &action, &previous_int_);
    sigaction(SIGTERM, &action, &previous_term_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &previous_int_, nullptr);
    sigaction(SIGTERM, &previous_term_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction previous_int_ {};
  struct sigaction previous_term_ {};
};

struct Task {
  std::size_t point;
  std::uint64_t replication;
};

/// A worker process: it runs its tasks in order and writes one line for each.
struct Worker {
  pid_t pid = -1;
  int pipe = -1;
  std::vector<std::size_t> tasks;  ///< indices, in order
  std::size_t done = 0;
  std::string unread;
};

void write_line(int pipe, const std::string& line) {
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = write(pipe, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(kExitRun);
    written += static_cast<std::size_t>(count);
  }
}

[[noreturn]] void work(const Scenario& scenario, const std::vector<Task>& tasks,
                       const Worker& worker, int pipe) {
  // The parent decides what an interrupt means; it ends its workers itself.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  for (std::size_t i = worker.done; i < worker.tasks.size(); ++i) {
    const Task& task = tasks[worker.tasks[i]];
    JsonValue line;
    try {
      const RunResult result = run_simulation(scenario.points[task.point], scenario.engine,
                                              scenario.seed, task.replication);
      line = run_record(scenario, task.point, task.replication, result);
    } catch (const std::bad_alloc&) {
      line = json_object({{"error", "out of memory"}});
    } catch (const std::exception& error) {
      line = json_object({{"error", error.what()}});
    }
    write_line(pipe, to_json(line) + "\n");
  }
  std::fflush(nullptr);
  _exit(0);
}

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
    while (interrupted == 0 &&
           std::any_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.pid > 0; }))
      wait_for_news();
    for (Worker& worker : workers_) end(worker);
    progress_.finish();
    ReplicationResults results;
    results.planned = tasks_.size();
    results.interrupted = interrupted != 0;
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
    int ends[2];
    if (pipe(ends) != 0) throw RunError(std::string("cannot make a pipe: ") + strerror(errno));
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid < 0) throw RunError(std::string("cannot start a worker: ") + strerror(errno));
    if (pid == 0) {
      close(ends[0]);
      work(scenario_, tasks_, worker, ends[1]);
    }
    close(ends[1]);
    worker.pid = pid;
    worker.pipe = ends[0];
    worker.unread.clear();
  }

  void wait_for_news() {
    std::vector<pollfd> polled;
    std::vector<Worker*> polled_workers;
    for (Worker& worker : workers_) {
      if (worker.pid <= 0) continue;
      polled.push_back({worker.pipe, POLLIN, 0});
      polled_workers.push_back(&worker);
    }
    constexpr int kProgress_ms = 200;
    if (poll(polled.data(), polled.size(), kProgress_ms) < 0 && errno != EINTR)
      throw RunError(std::string("cannot wait for workers: ") + strerror(errno));
    for (std::size_t i = 0; i < polled.size(); ++i)
      if (polled[i].revents != 0) read_news(*polled_workers[i]);
    progress_.show(finished_, tasks_.size());
  }

  void read_news(Worker& worker) {
    char buffer[65536];
    const ssize_t count = read(worker.pipe, buffer, sizeof buffer);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) {
      ended(worker);
      return;
    }
    worker.unread.append(buffer, static_cast<std::size_t>(count));
    std::size_t end = 0;
    while ((end = worker.unread.find('\n')) != std::string::npos) {
      take(worker, worker.unread.substr(0, end));
      worker.unread.erase(0, end + 1);
    }
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
    close(worker.pipe);
    int status = 0;
    waitpid(worker.pid, &status, 0);
    worker.pid = -1;
    if (worker.done < worker.tasks.size()) {
      const std::string why = WIFSIGNALED(status)
                                  ? std::string("killed: ") + strsignal(WTERMSIG(status))
                                  : "exited with " + std::to_string(WEXITSTATUS(status));
      record(worker.tasks[worker.done++], JsonValue(), "the worker process was " + why);
      if (worker.done < worker.tasks.size()) {
        launch(worker);
        return;
      }
    }
    if (next_to_launch_ < workers_.size()) launch(workers_[next_to_launch_++]);
  }

  static void end(Worker& worker) {
    if (worker.pid <= 0) return;
    kill(worker.pid, SIGKILL);
    close(worker.pipe);
    waitpid(worker.pid, nullptr, 0);
    worker.pid = -1;
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

ReplicationResults run_replications(const Scenario& scenario, const ReplicationSettings& settings) {
  return Pool(scenario, settings).run();
}

ExitCode exit_code(const ReplicationResults& results) {
  ExitCode code = kExitGood;
  for (const ReplicationRecord& record : results.records) {
    if (!record.error.empty()) {
      code = std::max(code, kExitRun);
      continue;
    }
    const std::string& outcome = *record.json.find("metrics")->find("outcome")->text();
    if (outcome == "limit") code = std::max(code, kExitRun);
    const bool good = outcome == "terminated" || outcome == "finished" ||
                      outcome == "fatal-reported" || outcome == "limit";
    if (!good || !record.json.find("violations")->list()->empty())
      code = std::max(code, kExitViolation);
  }
  if (results.interrupted) code = std::max(code, kExitInterrupted);
  return code;
}

}  // namespace faultline
