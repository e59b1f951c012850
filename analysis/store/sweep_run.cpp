// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/sweep_run.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/runs/memory_watch.hpp"
#include "analysis/runs/progress.hpp"
#include "analysis/runs/replications.hpp"
#include "analysis/runs/run_record.hpp"
#include "analysis/runs/worker_process.hpp"
#include "analysis/store/point_state.hpp"
#include "analysis/store/study_rows.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::store {

namespace {

using Clock = std::chrono::steady_clock;

/// A point of which batches are being simulated.
struct OpenPoint {
  scenario::Scenario scenario;
  StoredPoint header;  ///< the point as it is stored, without runs
};

/// What a sweep does with a point of its shard.
struct PointWork {
  PointState state;
  bool is_planned = false;                   ///< it has batches in the shard
  std::size_t open_batches = 0;              ///< those that are not settled
  bool has_grown = false;                    ///< this sweep has simulated some of its replications
  std::optional<std::int64_t> retried = {};  ///< an old failure that is to be tried again
  std::optional<OpenPoint> open = {};
};

/// A batch with replications to simulate.
struct BatchTask {
  Batch batch;
  std::size_t left = 0;  ///< how many
};

/// A batch that is being simulated.
struct BatchJob {
  BatchTask task;
  PointWork& work;
  runs::WorkerProcess worker = {};
  Clock::time_point begin = Clock::now();  ///< of the present replication
  std::vector<runs::RunRecord> runs = {};
  std::string error = {};  ///< why a replication failed
  bool over = false;       ///< simulated, or failed
};

/// The work of a worker: all replications of the batch that are left. On SimGrid it is only one,
/// since SimGrid allows one simulation per process.
void simulate(const BatchJob& job, const runs::WriteLine& write) {
  PointState state = job.work.state;
  const scenario::Scenario& scenario = job.work.open->scenario;
  const Batch& batch = job.task.batch;
  const bool alone = scenario.engine == scenario::EngineKind::simgrid;
  for (std::size_t i = batch.first; i < batch.end && state.missing(batch) > 0; ++i) {
    if (state.runs.has(i)) continue;
    const runs::ReplicationRecord record = runs::simulated(scenario, 0, i);
    write(runs::replication_line(scenario, record));
    if (alone || !record.run) return;
    state.runs.add(*record.run);
  }
}

/// The first replication of a batch that is missing.
std::size_t first_missing(const PointRuns& runs, const Batch& batch) {
  std::size_t first = batch.first;
  while (runs.has(first)) ++first;
  return first;
}

class SweepRunner {
 public:
  SweepRunner(const scenario::Study& study, std::int64_t study_id, ResultStore& store,
              const SweepSettings& settings)
      : study_(study),
        study_id_(study_id),
        store_(store),
        settings_(settings),
        batch_size_(Batches(study).size()),
        progress_(settings.progress, "replications") {
    look_into_store();
    for (const Batch& batch : Batches(study).of(settings.shard)) plan(batch);
    for (std::size_t point = 0; point < works_.size(); ++point)
      if (works_[point].is_planned) look_at(point);
    progress_.begin_with(total_ - left_);
  }

  SweepOutcome run() {
    const InterruptGuard guard;
    // If another build of the release began the study, this build is added to its versions.
    if (!waiting_.empty() || !simulated_.empty()) store_.add_study(stored_study(study_));
    for (const std::size_t point : simulated_) conclude(point);
    while (!InterruptGuard::interrupted() && (start_jobs() || !jobs_.empty())) {
      wait_for_news();
      progress_.show(
          {.done = total_ - left_, .total = total_, .failed = failed_, .under_way = under_way()});
    }
    give_up();
    progress_.finish();
    outcome_.interrupted = InterruptGuard::interrupted();
    count_stored();
    return outcome_;
  }

 private:
  void look_into_store() {
    works_.reserve(study_.points.size());
    for (std::size_t point = 0; point < study_.points.size(); ++point)
      works_.push_back({PointState(study_, point)});
    store_.each_point(study_id_, [&](const StoredPoint& stored) {
      const auto point = static_cast<std::size_t>(stored.point);
      if (point >= works_.size()) {
        ++outcome_.kept;
        return;
      }
      if (hash_of(stored) != study_.points[point].hash)
        throw UsageError(store_.path() + ": points: study " + std::to_string(stored.study) +
                         ", point " + std::to_string(stored.point) +
                         ": is damaged: the study has another point here" + kStoreRemedy);
      PointWork& work = works_[point];
      work.state = PointState(study_, point, stored);
      if (!settings_.retry_failed || stored.failure.empty()) return;
      work.state.failed_at.reset();
      work.retried = stored.failed_replication;
    });
  }

  void plan(const Batch& batch) {
    PointWork& work = works_[batch.point];
    work.is_planned = true;
    total_ += batch.end - batch.first;
    const std::size_t missing = work.state.missing(batch);
    if (missing == 0) return;
    waiting_.push_back({batch, missing});
    ++work.open_batches;
    left_ += missing;
  }

  /// Finds out what a point of the shard needs beside its batches.
  void look_at(std::size_t point) {
    const PointWork& work = works_[point];
    ++outcome_.planned;
    if (!work.state.failed_at && work.state.runs.beyond()) ++outcome_.longer;
    if (work.open_batches > 0) return;
    const bool is_open =
        study_.sweep.precision && !work.state.failed_at && !work.state.runs.complete();
    if (is_open || work.state.asks_for_fewer(study_, point))
      simulated_.push_back(point);
    else
      ++outcome_.stored_before;
  }

  /// Starts as many batches as there are free jobs. Returns false if none is left to start.
  bool start_jobs() {
    for (std::size_t tries = waiting_.size(); tries > 0 && jobs_.size() < settings_.jobs; --tries) {
      BatchTask task = waiting_.front();
      waiting_.pop_front();
      if (works_[task.batch.point].state.missing(task.batch) == 0) {
        settle(task);
      } else if (!store_.claim(range_of(task.batch))) {
        waiting_.push_back(task);  // another process is working on it
      } else {
        refresh(task);
        if (task.left > 0) {
          start(task);
        } else {
          store_.release(range_of(task.batch));
          settle(task);
        }
      }
    }
    return !waiting_.empty();
  }

  [[nodiscard]] PointRange range_of(const Batch& batch) const {
    return {study_id_, static_cast<std::int64_t>(batch.point),
            static_cast<std::int64_t>(batch.first), static_cast<std::int64_t>(batch.end)};
  }

  /// Takes in what other processes have stored meanwhile.
  void refresh(BatchTask& task) {
    PointWork& work = works_[task.batch.point];
    if (const auto stored = store_.part(range_of(task.batch))) {
      for (const runs::RunRecord& run : stored->runs) work.state.runs.add(run);
      note(*stored);
      if (!stored->failure.empty() && stored->failed_replication != work.retried)
        work.state.fail(static_cast<std::size_t>(stored->failed_replication));
    }
    count(task);
  }

  void count(BatchTask& task) {
    const std::size_t now = works_[task.batch.point].state.missing(task.batch);
    left_ -= task.left - std::min(now, task.left);
    task.left = std::min(now, task.left);
  }

  void open(std::size_t point) {
    PointWork& work = works_[point];
    if (work.open) return;
    scenario::Scenario scenario = scenario::point_scenario(study_, point);
    StoredPoint header = stored_point(study_, study_id_, point, scenario);
    work.open.emplace(OpenPoint{std::move(scenario), std::move(header)});
  }

  void start(const BatchTask& task) {
    open(task.batch.point);
    jobs_.push_back(std::make_unique<BatchJob>(BatchJob{task, works_[task.batch.point]}));
    launch(*jobs_.back());
  }

  void launch(BatchJob& job) {
    job.worker.start(
        [&](const runs::WriteLine& write) {
          store_.forget_claims();
          simulate(job, write);
        },
        {.memory_limit_B = settings_.memory_limit_B, .keep_log = true});
  }

  void wait_for_news() {
    std::vector<runs::WorkerProcess*> workers;
    workers.reserve(jobs_.size());
    for (const auto& job : jobs_) workers.push_back(&job->worker);
    runs::wait_for_workers(
        workers, [&](std::size_t i) { jobs_[i]->over = read_news(*jobs_[i]); },
        runs::MemoryWatch::kPeriod_ms);
    memory_.look_if_due([this] { end_excess(); });
    for (const auto& job : jobs_) job->over = job->over || is_late(*job);
    store_results();
  }

  /// What is done of the replications that are being simulated.
  [[nodiscard]] double under_way() const {
    double sum = 0.0;
    for (const auto& job : jobs_)
      sum += runs::share_of_run(job->work.open->scenario.points.front().stop,
                                job->worker.simulated_s());
    return sum;
  }

  /// Returns true once the batch has been simulated or has failed.
  bool read_news(BatchJob& job) {
    bool ended = false;
    for (const std::string& line : job.worker.read_lines(ended)) take(job, line);
    if (!ended) return false;
    const std::string why = job.worker.finish();
    if (job.error.empty() && !why.empty()) job.error = "the worker process " + why;
    if (!job.error.empty() || job.task.left == 0) return true;
    launch(job);
    return false;
  }

  void take(BatchJob& job, const std::string& line) {
    runs::ReplicationRecord record = runs::read_replication_line(line);
    job.begin = Clock::now();
    job.worker.forget_simulated_time();
    if (!record.run) {
      job.error = record.error;
      return;
    }
    job.work.state.runs.add(*record.run);
    job.work.has_grown = true;
    job.runs.push_back(std::move(*record.run));
    count(job.task);
  }

  void end_excess() {
    std::vector<runs::WatchedProcess> watched;
    watched.reserve(jobs_.size());
    for (const auto& job : jobs_)
      watched.push_back({job->worker.resident_bytes(),
                         job->work.open->scenario.points.front().stop.memory_bytes});
    const auto excess = runs::memory_excess(watched, memory_.machine_bytes());
    if (!excess) return;
    BatchJob& job = *jobs_[excess->process];
    job.worker.kill();
    job.error = excess->why;
    job.over = true;
  }

  bool is_late(BatchJob& job) {
    if (!settings_.time_limit_s) return false;
    const double passed_s = std::chrono::duration<double>(Clock::now() - job.begin).count();
    if (passed_s < *settings_.time_limit_s) return false;
    job.worker.kill();
    job.error = "took longer than " + json::shortest(*settings_.time_limit_s) + " s";
    return true;
  }

  /// Stores all batches that are over, in one transaction.
  void store_results() {
    std::vector<StoredPoint> parts;
    std::vector<std::unique_ptr<BatchJob>> over;
    for (auto& job : jobs_) {
      if (!job->over) continue;
      StoredPoint part = part_of(*job);
      if (!part.runs.empty() || !part.failure.empty()) parts.push_back(std::move(part));
      over.push_back(std::move(job));
    }
    std::erase(jobs_, nullptr);
    if (!parts.empty()) store(parts);
    for (const auto& job : over) {
      store_.release(range_of(job->task.batch));
      if (job->task.left == 0 || !job->error.empty()) settle(job->task);
    }
  }

  void store(const std::vector<StoredPoint>& parts) {
    store_.save(parts);
    for (const StoredPoint& part : parts) note(part);
  }

  /// Notes what the store has now of a point beside its runs.
  void note(const StoredPoint& part) {
    PointState& state = works_[static_cast<std::size_t>(part.point)].state;
    state.asked = std::max(state.asked, asked_replications(part));
    state.wanted = std::max(state.wanted, part.wanted);
  }

  StoredPoint part_of(BatchJob& job) {
    StoredPoint part = header_of(job.task.batch.point);
    part.runs = std::move(job.runs);
    if (!job.error.empty())
      fail(part, first_missing(job.work.state.runs, job.task.batch), job.error, job.worker.log());
    return part;
  }

  /// A point that has had all that an earlier sweep wanted keeps the numbers of that sweep until it
  /// has grown.
  StoredPoint header_of(std::size_t point) {
    open(point);
    const PointState& state = works_[point].state;
    StoredPoint header = works_[point].open->header;
    header.wanted = static_cast<std::int64_t>(state.runs.needed());
    if (!state.was_whole) return header;
    header.wanted = state.wanted;
    header.scenario.set("replications", state.asked);
    return header;
  }

  /// Stored replications are worth more than the news that there are no further ones, so a point
  /// that has had all before is not stored as failed.
  void fail(StoredPoint& part, std::size_t replication, const std::string& why,
            const std::string& log) {
    const auto point = static_cast<std::size_t>(part.point);
    PointState& state = works_[point].state;
    const bool is_first = !state.failed_at || replication < *state.failed_at;
    if (!state.failed_at) ++failed_;
    state.fail(replication);
    if (!state.was_whole) {
      part.failure = why;
      part.failed_replication = static_cast<std::int64_t>(replication);
      part.log = visible_lines(log);
    } else if (is_first) {
      outcome_.failures[point] = why + "; the replications that it had are kept";
    }
  }

  void settle(const BatchTask& task) {
    left_ -= task.left;
    if (--works_[task.batch.point].open_batches == 0) conclude(task.batch.point);
  }

  /// All batches of the point have been settled: goes on until the precision is reached, or counts
  /// the point.
  void conclude(std::size_t point) {
    PointWork& work = works_[point];
    PointState& state = work.state;
    if (!state.failed_at && study_.sweep.precision && !go_on(point)) return;
    const auto needed = static_cast<std::int64_t>(state.runs.needed());
    if (!state.failed_at && (state.asks_for_fewer(study_, point) || state.wanted < needed)) {
      open(point);
      StoredPoint grown = work.open->header;
      grown.wanted = needed;
      store({grown});
    }
    if (!state.failed_at && state.was_whole && work.has_grown) ++outcome_.grown;
    if (!state.failed_at || !state.was_whole) ++finished_;
    work.open.reset();
  }

  /// Returns false if the point needs another batch, which then waits.
  bool go_on(std::size_t point) {
    PointWork& work = works_[point];
    const PointRuns& runs = work.state.runs;
    if (runs.complete()) return true;
    const std::size_t first = runs.without_gap();
    if (!runs.trouble().empty()) {
      StoredPoint part = header_of(point);
      fail(part, first, runs.trouble(), "");
      store_.save(part);
      return true;
    }
    const std::size_t end =
        std::min<std::size_t>(first + batch_size_, study_.sweep.precision->most_replications);
    waiting_.push_front({{point, first, end}, end - first});
    ++work.open_batches;
    total_ += end - first;
    left_ += end - first;
    return false;
  }

  /// Ends the workers, and stores the replications that they have finished.
  void give_up() {
    for (const auto& job : jobs_) {
      job->worker.kill();
      job->error.clear();
      job->over = !job->runs.empty();
    }
    store_results();
    jobs_.clear();
  }

  void count_stored() {
    outcome_.stored = outcome_.stored_before + finished_;
    for (std::size_t point = 0; point < works_.size(); ++point) {
      if (!works_[point].is_planned) continue;
      std::string failure =
          store_.failure_of(study_id_, static_cast<std::int64_t>(point)).value_or("");
      if (!failure.empty()) outcome_.failures.emplace(point, std::move(failure));
    }
    outcome_.failed = outcome_.failures.size();
  }

  const scenario::Study& study_;
  std::int64_t study_id_;
  ResultStore& store_;
  SweepSettings settings_;
  std::size_t batch_size_;
  runs::ProgressLine progress_;
  runs::MemoryWatch memory_;
  std::vector<PointWork> works_;        ///< of all points of the study
  std::deque<BatchTask> waiting_;       ///< batches that this process has not started
  std::vector<std::size_t> simulated_;  ///< points without batches that are not done nevertheless
  std::vector<std::unique_ptr<BatchJob>> jobs_;
  std::size_t total_ = 0;     ///< replications of the shard, as far as they are known
  std::size_t left_ = 0;      ///< those of waiting batches and of jobs
  std::size_t finished_ = 0;  ///< points
  std::size_t failed_ = 0;    ///< points
  SweepOutcome outcome_;
};

}  // namespace

SweepOutcome run_sweep(const scenario::Study& study, std::int64_t study_id, ResultStore& store,
                       const SweepSettings& settings) {
  return SweepRunner(study, study_id, store, settings).run();
}

runs::RunCount run_count(ResultStore& store, std::int64_t study_id, const scenario::Study& study,
                         const Shard& shard) {
  const std::vector<bool> in_shard = points_of(study, shard);
  runs::RunCount count;
  for (const RunEnding& ending : store.endings(study_id)) {
    const auto point = static_cast<std::size_t>(ending.point);
    if (point < in_shard.size() && in_shard[point]) count.add(ending.outcome, ending.runs);
  }
  return count;
}

runs::ExitCode exit_code(const SweepOutcome& outcome, ResultStore& store, std::int64_t study_id,
                         const scenario::Study& study, const Shard& shard) {
  if (outcome.interrupted) return runs::kExitInterrupted;
  const std::vector<bool> in_shard = points_of(study, shard);
  runs::ExitCode code = outcome.failed > 0 ? runs::kExitRun : runs::kExitGood;
  for (const RunEnding& ending : store.endings(study_id)) {
    const auto point = static_cast<std::size_t>(ending.point);
    if (point < in_shard.size() && in_shard[point])
      code = std::max(code, runs::exit_code(ending.outcome, ending.violated));
  }
  return code;
}

}  // namespace faultline::store
