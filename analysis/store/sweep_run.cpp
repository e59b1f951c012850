#include "analysis/store/sweep_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <memory>

#include "analysis/runs/progress.hpp"
#include "analysis/runs/replications.hpp"
#include "analysis/runs/run_record.hpp"
#include "analysis/runs/worker_process.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/statistics/summary.hpp"
#include "sim/core/error.hpp"
#include "sim/core/version.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline {

namespace {

using Clock = std::chrono::steady_clock;

/// Fewer values than this say too little of their own spread to stop by it.
constexpr std::size_t kFewestReplications = 10;

/// The runs of a point so far, and whether they are all that it needs.
class PointRuns {
 public:
  PointRuns(const Scenario& scenario, const std::optional<Precision>& precision)
      : replications_(scenario.replications), precision_(precision) {
    if (precision_) replications_ = std::max<std::size_t>(replications_, kFewestReplications);
  }

  void add(RunRecord record) {
    if (precision_) {
      known_ = known_ || record.has_number(precision_->metric);
      if (const auto number = record.number(precision_->metric)) values_.push_back(*number);
    }
    records_.push_back(std::move(record));
  }

  /// Throws UsageError for a metric that no run has, or that is no number.
  [[nodiscard]] bool complete() const {
    if (!precision_) return records_.size() >= replications_;
    if (records_.size() < std::min<std::size_t>(replications_, precision_->most_replications))
      return false;
    const MetricType type = metric_type(precision_->metric);
    if (!known_ || type == MetricType::text)
      throw UsageError("sweep.precision: the runs have no metric " + in_quotes(precision_->metric) +
                       (type == MetricType::text ? " that is a number" : ""));
    if (records_.size() >= precision_->most_replications) return true;
    const Summary summary = summarize(type, values_);
    if (!summary.confidence_95) return false;
    const double half_width = (summary.confidence_95->high - summary.confidence_95->low) / 2;
    return half_width <= precision_->relative_half_width * std::fabs(*summary.mean);
  }

  [[nodiscard]] const std::vector<RunRecord>& records() const { return records_; }

 private:
  std::size_t replications_;
  std::optional<Precision> precision_;
  std::vector<RunRecord> records_;
  std::vector<double> values_;  ///< of the metric that decides
  bool known_ = false;
};

/// A point that is being simulated.
struct PointJob {
  std::size_t point;
  Scenario scenario;
  PointRuns runs;
  WorkerProcess worker;
  Clock::time_point begin;
  std::string error;  ///< why it failed
  bool over = false;  ///< simulated, or failed
};

/// What a worker does: the replications that are left, or one where SimGrid simulates, which
/// allows one simulation in a process.
void simulate(const PointJob& job, const WriteLine& write) {
  PointRuns runs = job.runs;
  const bool alone = job.scenario.engine == EngineKind::simgrid;
  while (!runs.complete()) {
    const ReplicationRecord record = simulated(job.scenario, 0, runs.records().size());
    write(replication_line(job.scenario, record));
    if (alone || !record.run) return;
    runs.add(*record.run);
  }
}

/// Why the runs of a point cannot be completed, "" if they can; `complete` says whether they are.
std::string trouble_of(const PointRuns& runs, bool& complete) {
  try {
    complete = runs.complete();
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

/// The resolved scenario of a point as one object: what all points of a file share beside what
/// this point has.
JsonValue resolved(const Scenario& scenario) {
  Problems problems(scenario.file);
  JsonValue all = parse_json(scenario.canonical_json, problems);
  JsonValue result = JsonValue::Object{};
  for (JsonMember& member : *all.object())
    if (member.key != "points") result.set(member.key, std::move(member.value));
  for (JsonMember& member : *all.find("points")->list()->front().object())
    result.set(member.key, std::move(member.value));
  return sorted(std::move(result));
}

class SweepRunner {
 public:
  SweepRunner(const Study& study, std::int64_t study_id, ResultStore& store,
              const SweepSettings& settings)
      : study_(study),
        study_id_(study_id),
        store_(store),
        settings_(settings),
        progress_(settings.progress, "points") {
    for (std::size_t i = settings.shard.index; i < study.points.size(); i += settings.shard.count) {
      ++outcome_.planned;
      if (is_done(i))
        ++outcome_.stored_before;
      else
        waiting_.push_back(i);
    }
    progress_.begin_with(outcome_.stored_before);
  }

  SweepOutcome run() {
    const InterruptGuard guard;
    // A study that another build of the release began names this one, too.
    if (!waiting_.empty()) store_.add_study(stored_study(study_));
    while (!InterruptGuard::interrupted() && (start_jobs() || !jobs_.empty())) {
      wait_for_news();
      progress_.show(outcome_.stored_before + finished_, outcome_.planned, failed_);
    }
    for (const auto& job : jobs_) give_up(*job);
    progress_.finish();
    outcome_.interrupted = InterruptGuard::interrupted();
    count_stored();
    return outcome_;
  }

 private:
  [[nodiscard]] bool is_done(std::size_t point) {
    const auto failure = store_.failure_of(study_id_, static_cast<std::int64_t>(point));
    return failure && (failure->empty() || !settings_.retry_failed);
  }

  /// Starts what can be started. False when nothing is left but what runs here.
  bool start_jobs() {
    for (std::size_t tries = waiting_.size(); tries > 0 && jobs_.size() < settings_.jobs; --tries) {
      const std::size_t point = waiting_.front();
      waiting_.pop_front();
      if (!store_.claim(study_id_, static_cast<std::int64_t>(point)))
        waiting_.push_back(point);  // another process is at it
      else if (is_done(point))
        finished(point);
      else
        start(point);
    }
    return !waiting_.empty();
  }

  void start(std::size_t point) {
    Scenario scenario = point_scenario(study_, point);
    PointRuns runs(scenario, study_.sweep.precision);
    jobs_.push_back(std::make_unique<PointJob>(
        PointJob{point, std::move(scenario), std::move(runs), {}, Clock::now(), {}, false}));
    launch(*jobs_.back());
  }

  void launch(PointJob& job) {
    job.worker.start(
        [&](const WriteLine& write) {
          store_.forget_claims();
          simulate(job, write);
        },
        {.memory_limit_B = settings_.memory_limit_B, .keep_log = true});
  }

  void wait_for_news() {
    constexpr int kPatience_ms = 100;
    std::vector<WorkerProcess*> workers;
    workers.reserve(jobs_.size());
    for (const auto& job : jobs_) workers.push_back(&job->worker);
    wait_for_workers(
        workers, [&](std::size_t i) { jobs_[i]->over = read_news(*jobs_[i]); }, kPatience_ms);
    for (const auto& job : jobs_) {
      job->over = job->over || is_late(*job);
      if (job->over) store_result(*job);
    }
    jobs_.erase(
        std::remove_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return job->over; }),
        jobs_.end());
  }

  /// True when the point is simulated, or has failed.
  bool read_news(PointJob& job) {
    bool ended = false;
    for (const std::string& line : job.worker.read_lines(ended)) take(job, line);
    if (!ended) return false;
    const std::string why = job.worker.finish();
    bool complete = false;
    if (job.error.empty()) job.error = trouble_of(job.runs, complete);
    if (job.error.empty() && !why.empty()) job.error = "the worker process " + why;
    if (complete || !job.error.empty()) return true;
    launch(job);
    return false;
  }

  static void take(PointJob& job, const std::string& line) {
    ReplicationRecord record = read_replication_line(line);
    if (record.run)
      job.runs.add(std::move(*record.run));
    else
      job.error = record.error;
  }

  bool is_late(PointJob& job) {
    if (!settings_.time_limit_s) return false;
    const double passed_s = std::chrono::duration<double>(Clock::now() - job.begin).count();
    if (passed_s < *settings_.time_limit_s) return false;
    job.worker.kill();
    job.error = "took longer than " + shortest(*settings_.time_limit_s) + " s";
    return true;
  }

  void store_result(const PointJob& job) {
    StoredPoint point{.study = study_id_,
                      .point = static_cast<std::int64_t>(job.point),
                      .hash = study_.points[job.point].hash,
                      .scenario_hash = job.scenario.hash,
                      .engine = word_of(job.scenario.engine),
                      .seed = static_cast<std::int64_t>(job.scenario.seed),
                      .label = point_label(study_, job.point),
                      .parameters = point_parameters(study_, job.point),
                      .scenario = resolved(job.scenario),
                      .failure = job.error,
                      .log = {},
                      .runs = {}};
    if (job.error.empty()) {
      point.runs = job.runs.records();
    } else {
      point.log = visible_lines(job.worker.log());
      ++failed_;
    }
    store_.save(point);
    finished(job.point);
  }

  void finished(std::size_t point) {
    store_.release(study_id_, static_cast<std::int64_t>(point));
    ++finished_;
  }

  void give_up(PointJob& job) {
    job.worker.kill();
    store_.release(study_id_, static_cast<std::int64_t>(job.point));
  }

  void count_stored() {
    for (std::size_t i = settings_.shard.index; i < study_.points.size();
         i += settings_.shard.count) {
      const auto failure = store_.failure_of(study_id_, static_cast<std::int64_t>(i));
      if (!failure) continue;
      ++outcome_.stored;
      if (!failure->empty()) ++outcome_.failed;
    }
  }

  const Study& study_;
  std::int64_t study_id_;
  ResultStore& store_;
  SweepSettings settings_;
  ProgressLine progress_;
  std::deque<std::size_t> waiting_;  ///< points that nobody here is at
  std::vector<std::unique_ptr<PointJob>> jobs_;
  std::size_t finished_ = 0;
  std::size_t failed_ = 0;
  SweepOutcome outcome_;
};

}  // namespace

SweepOutcome run_sweep(const Study& study, std::int64_t study_id, ResultStore& store,
                       const SweepSettings& settings) {
  return SweepRunner(study, study_id, store, settings).run();
}

ExitCode exit_code(const SweepOutcome& outcome, ResultStore& store, std::int64_t study_id,
                   const Shard& shard) {
  if (outcome.interrupted) return kExitInterrupted;
  ExitCode code = outcome.failed > 0 ? kExitRun : kExitGood;
  for (const RunEnding& ending : store.endings(study_id))
    if (static_cast<std::size_t>(ending.point) % shard.count == shard.index)
      code = std::max(code, exit_code(ending.outcome, ending.violated));
  return code;
}

StoredStudy stored_study(const Study& study) {
  return {.id = 0,
          .name = study.name,
          .hash = study.hash,
          .points = static_cast<std::int64_t>(study.points.size()),
          .faultline = std::string(version()),
          .simgrid = simgrid_version()};
}

}  // namespace faultline
