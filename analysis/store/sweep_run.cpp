// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/sweep_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/runs/memory_watch.hpp"
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
#include "sim/scenario/canonical.hpp"

namespace faultline::store {

namespace {

using Clock = std::chrono::steady_clock;

/// With fewer values, the estimate of their spread is too poor to stop by it.
constexpr std::size_t kFewestReplications = 10;

/// The runs of a point so far. Knows whether the point needs more. What was cut off at a limit is
/// no result, so it makes no mean more precise but that of `completed`, which the limit decides.
class PointRuns {
 public:
  PointRuns(std::uint32_t replications, const std::optional<scenario::Precision>& precision)
      : replications_(replications), precision_(precision) {
    if (precision_) replications_ = std::max<std::size_t>(replications_, kFewestReplications);
  }

  void add(runs::RunRecord record) {
    if (precision_) {
      known_ = known_ || record.has_number(precision_->metric);
      const bool is_settled = runs::bound_of(precision_->metric) == statistics::MeanBound::exact;
      if (is_settled || !runs::is_cut_off(record)) add_result(record);
    }
    records_.push_back(std::move(record));
  }

  /// Throws UsageError if the metric is text or no run has it.
  [[nodiscard]] bool complete() const {
    if (!precision_) return records_.size() >= replications_;
    if (records_.size() < first_needed()) return false;
    const statistics::MetricType type = statistics::metric_type(precision_->metric);
    if (!known_ || type == statistics::MetricType::text)
      throw UsageError("sweep.precision: the runs have no metric " +
                       json::in_quotes(precision_->metric) +
                       (type == statistics::MetricType::text ? " that is a number" : ""));
    if (records_.size() >= precision_->most_replications) return true;
    if (results_ < first_needed()) return false;
    const statistics::Summary summary = statistics::summarize(type, values_);
    if (!summary.confidence_95) return false;
    const double half_width = (summary.confidence_95->high - summary.confidence_95->low) / 2;
    return half_width <= precision_->relative_half_width * std::fabs(*summary.mean);
  }

  /// The least number of missing runs. Nothing more is known before they are made.
  [[nodiscard]] std::size_t least_left() const {
    if (!precision_) return replications_ - std::min(replications_, records_.size());
    const std::size_t most = precision_->most_replications;
    return std::clamp<std::size_t>(first_needed() - std::min(first_needed(), results_), 1,
                                   most - std::min(most - 1, records_.size()));
  }

  [[nodiscard]] const std::vector<runs::RunRecord>& records() const { return records_; }

 private:
  void add_result(const runs::RunRecord& record) {
    ++results_;
    if (const auto number = record.number(precision_->metric)) values_.push_back(*number);
  }

  /// The number of results that are needed before their values can show that no more are.
  [[nodiscard]] std::size_t first_needed() const {
    return std::min<std::size_t>(replications_, precision_->most_replications);
  }

  std::size_t replications_;
  std::optional<scenario::Precision> precision_;
  std::vector<runs::RunRecord> records_;
  std::size_t results_ = 0;     ///< runs whose values count
  std::vector<double> values_;  ///< theirs, of the metric whose precision counts
  bool known_ = false;
};

/// A point that is being simulated.
struct PointJob {
  std::size_t point;
  scenario::Scenario scenario;
  PointRuns runs;
  std::size_t stored;  ///< how many of the runs were stored before
  runs::WorkerProcess worker;
  Clock::time_point begin;
  std::string error;  ///< why the point failed
  bool over = false;  ///< simulated, or failed
};

/// The work of a worker: all replications that are left. On SimGrid it is only one, since SimGrid
/// allows one simulation per process.
void simulate(const PointJob& job, const runs::WriteLine& write) {
  PointRuns runs = job.runs;
  const bool alone = job.scenario.engine == scenario::EngineKind::simgrid;
  while (!runs.complete()) {
    const runs::ReplicationRecord record = runs::simulated(job.scenario, 0, runs.records().size());
    write(runs::replication_line(job.scenario, record));
    if (alone || !record.run) return;
    runs.add(*record.run);
  }
}

/// Returns why the runs of a point cannot be completed, or "". Sets `complete` if no more are
/// needed.
std::string trouble_of(const PointRuns& runs, bool& complete) {
  try {
    complete = runs.complete();
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

bool is_complete(const PointRuns& runs) {
  bool complete = false;
  trouble_of(runs, complete);
  return complete;
}

/// The first stored runs of a point, but no more than it needs.
PointRuns needed(const scenario::Study& study, std::size_t point, const StoredPoint& stored) {
  PointRuns runs(study.points[point].replications, study.sweep.precision);
  for (const runs::RunRecord& run : stored.runs) {
    if (is_complete(runs)) break;
    runs.add(run);
  }
  return runs;
}

bool is_done(const scenario::Study& study, std::size_t point, const StoredPoint& stored,
             bool retry_failed) {
  if (!stored.failure.empty()) return !retry_failed;
  return asked_replications(stored) >= study.points[point].replications &&
         is_complete(needed(study, point, stored));
}

/// How many runs are left to simulate, at least.
std::size_t least_left(const PointRuns& runs) { return is_complete(runs) ? 0 : runs.least_left(); }

/// The resolved scenario of a point as one object. It joins what all points of the file share and
/// what only this point has.
json::JsonValue resolved(const scenario::Scenario& scenario) {
  json::JsonValue all = scenario::canonical(scenario);
  json::JsonValue result = json::JsonValue::Object{};
  for (json::JsonMember& member : *all.object())
    if (member.key != "points") result.set(member.key, std::move(member.value));
  for (json::JsonMember& member : *all.find("points")->list()->front().object())
    result.set(member.key, std::move(member.value));
  return json::sorted(std::move(result));
}

class SweepRunner {
 public:
  SweepRunner(const scenario::Study& study, std::int64_t study_id, ResultStore& store,
              const SweepSettings& settings)
      : study_(study),
        study_id_(study_id),
        store_(store),
        settings_(settings),
        progress_(settings.progress, "points") {
    const std::vector<bool> done = look_into_store();
    for (std::size_t i = settings.shard.index; i < study.points.size(); i += settings.shard.count) {
      ++outcome_.planned;
      if (done[i])
        ++outcome_.stored_before;
      else
        waiting_.push_back(i);
    }
    progress_.begin_with(outcome_.stored_before);
  }

  SweepOutcome run() {
    const InterruptGuard guard;
    // If another build of the release began the study, this build is added to its versions.
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
  /// For each point: does it need nothing more?
  std::vector<bool> look_into_store() {
    std::vector<bool> done(study_.points.size(), false);
    store_.each_point(study_id_, [&](const StoredPoint& stored) {
      const auto point = static_cast<std::size_t>(stored.point);
      if (point >= done.size()) {
        ++outcome_.kept;
        return;
      }
      if (hash_of(stored) != study_.points[point].hash)
        throw UsageError(store_.path() + ": points: study " + std::to_string(stored.study) +
                         ", point " + std::to_string(stored.point) +
                         ": is damaged: the study has another point here" + kStoreRemedy);
      done[point] = is_done(study_, point, stored, settings_.retry_failed);
      if (point % settings_.shard.count == settings_.shard.index && stored.failure.empty() &&
          needed(study_, point, stored).records().size() < stored.runs.size())
        ++outcome_.longer;
    });
    return done;
  }

  /// Starts as many points as there are free jobs. Returns false if no points are left to start.
  bool start_jobs() {
    for (std::size_t tries = waiting_.size(); tries > 0 && jobs_.size() < settings_.jobs; --tries) {
      const std::size_t point = waiting_.front();
      waiting_.pop_front();
      if (!store_.claim(study_id_, static_cast<std::int64_t>(point))) {
        waiting_.push_back(point);  // another process is working on it
        continue;
      }
      const auto stored = store_.point(study_id_, static_cast<std::int64_t>(point));
      if (stored && is_done(study_, point, *stored, settings_.retry_failed))
        finished(point);
      else if (stored && stored->failure.empty())
        go_on(*stored);
      else
        start(point, PointRuns(study_.points[point].replications, study_.sweep.precision));
    }
    return !waiting_.empty();
  }

  void go_on(const StoredPoint& stored) {
    const auto point = static_cast<std::size_t>(stored.point);
    PointRuns runs = needed(study_, point, stored);
    if (!is_complete(runs)) {
      start(point, std::move(runs));
      return;
    }
    // No run is missing. Only the stored scenario asks for fewer replications.
    StoredPoint asked =
        stored_point(study_, study_id_, point, scenario::point_scenario(study_, point));
    asked.runs = stored.runs;
    store_.save(asked);
    finished(point);
  }

  void start(std::size_t point, PointRuns runs) {
    const std::size_t stored = runs.records().size();
    jobs_.push_back(std::make_unique<PointJob>(PointJob{point,
                                                        scenario::point_scenario(study_, point),
                                                        std::move(runs),
                                                        stored,
                                                        {},
                                                        Clock::now(),
                                                        {},
                                                        false}));
    launch(*jobs_.back());
  }

  void launch(PointJob& job) {
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
    for (const auto& job : jobs_) {
      job->over = job->over || is_late(*job);
      if (job->over) store_result(*job);
    }
    jobs_.erase(
        std::remove_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return job->over; }),
        jobs_.end());
  }

  /// Returns true once the point has been simulated or has failed.
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
    runs::ReplicationRecord record = runs::read_replication_line(line);
    if (record.run)
      job.runs.add(std::move(*record.run));
    else
      job.error = record.error;
  }

  void end_excess() {
    std::vector<runs::WatchedProcess> watched;
    watched.reserve(jobs_.size());
    for (const auto& job : jobs_)
      watched.push_back(
          {job->worker.resident_bytes(), job->scenario.points.front().stop.memory_bytes});
    const auto excess = runs::memory_excess(watched, memory_.machine_bytes());
    if (!excess) return;
    PointJob& job = *jobs_[excess->process];
    job.worker.kill();
    job.error = excess->why;
    job.over = true;
  }

  bool is_late(PointJob& job) {
    if (!settings_.time_limit_s) return false;
    const double passed_s = std::chrono::duration<double>(Clock::now() - job.begin).count();
    if (passed_s < *settings_.time_limit_s) return false;
    job.worker.kill();
    job.error = "took longer than " + json::shortest(*settings_.time_limit_s) + " s";
    return true;
  }

  void store_result(const PointJob& job) {
    if (!job.error.empty() && job.stored > 0) {
      // The stored runs are worth more than the news that there are no further ones.
      outcome_.not_grown.emplace(job.point, job.error);
      ++failed_;
      store_.release(study_id_, static_cast<std::int64_t>(job.point));
      return;
    }
    StoredPoint point = stored_point(study_, study_id_, job.point, job.scenario);
    point.failure = job.error;
    if (job.error.empty()) {
      point.runs = job.runs.records();
      if (job.stored > 0) ++outcome_.grown;
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
    outcome_.stored = outcome_.stored_before + finished_;
    outcome_.failed = outcome_.not_grown.size();
    for (std::size_t i = settings_.shard.index; i < study_.points.size();
         i += settings_.shard.count)
      if (!store_.failure_of(study_id_, static_cast<std::int64_t>(i)).value_or("").empty())
        ++outcome_.failed;
  }

  const scenario::Study& study_;
  std::int64_t study_id_;
  ResultStore& store_;
  SweepSettings settings_;
  runs::ProgressLine progress_;
  runs::MemoryWatch memory_;
  std::deque<std::size_t> waiting_;  ///< points that this process has not started
  std::vector<std::unique_ptr<PointJob>> jobs_;
  std::size_t finished_ = 0;
  std::size_t failed_ = 0;
  SweepOutcome outcome_;
};

}  // namespace

SweepPlan plan_sweep(const scenario::Study& study, const std::vector<StoredPoint>& stored_points,
                     const SweepSettings& settings) {
  SweepPlan plan;
  std::map<std::string, std::size_t> missing;  // points of the shard, by their hashes
  for (std::size_t i = settings.shard.index; i < study.points.size(); i += settings.shard.count)
    missing.emplace(study.points[i].hash, i);
  plan.planned = missing.size();
  for (const StoredPoint& stored : stored_points) {
    const auto found = missing.find(hash_of(stored));
    if (found == missing.end()) continue;
    const std::size_t point = found->second;
    if (!stored.failure.empty()) ++plan.failed;
    if (is_done(study, point, stored, settings.retry_failed)) {
      ++plan.stored;
    } else if (stored.failure.empty()) {
      ++plan.growing;
      plan.runs += least_left(needed(study, point, stored));
    } else {
      continue;
    }
    missing.erase(found);
  }
  for (const auto& [hash, point] : missing)
    plan.runs += least_left(PointRuns(study.points[point].replications, study.sweep.precision));
  return plan;
}

SweepOutcome run_sweep(const scenario::Study& study, std::int64_t study_id, ResultStore& store,
                       const SweepSettings& settings) {
  return SweepRunner(study, study_id, store, settings).run();
}

runs::RunCount run_count(ResultStore& store, std::int64_t study_id, const scenario::Study& study,
                         const Shard& shard) {
  runs::RunCount count;
  for (const RunEnding& ending : store.endings(study_id)) {
    const auto point = static_cast<std::size_t>(ending.point);
    if (point < study.points.size() && point % shard.count == shard.index)
      count.add(ending.outcome, ending.runs);
  }
  return count;
}

runs::ExitCode exit_code(const SweepOutcome& outcome, ResultStore& store, std::int64_t study_id,
                         const scenario::Study& study, const Shard& shard) {
  if (outcome.interrupted) return runs::kExitInterrupted;
  runs::ExitCode code = outcome.failed > 0 ? runs::kExitRun : runs::kExitGood;
  for (const RunEnding& ending : store.endings(study_id)) {
    const auto point = static_cast<std::size_t>(ending.point);
    if (point < study.points.size() && point % shard.count == shard.index)
      code = std::max(code, runs::exit_code(ending.outcome, ending.violated));
  }
  return code;
}

StoredStudy stored_study(const scenario::Study& study) {
  return {.id = 0,
          .name = study.name,
          .hash = study.hash,
          .points = static_cast<std::int64_t>(study.points.size()),
          .faultline = std::string(version()),
          .simgrid = engine::simgrid_version()};
}

StoredPoint stored_point(const scenario::Study& study, std::int64_t study_id, std::size_t point,
                         const scenario::Scenario& scenario) {
  return {.study = study_id,
          .point = static_cast<std::int64_t>(point),
          .hash = study.points[point].hash,
          .scenario_hash = scenario.hash,
          .engine = scenario::word_of(scenario.engine),
          .seed = static_cast<std::int64_t>(scenario.seed),
          .label = scenario::point_label(study, point),
          .parameters = scenario::point_parameters(study, point),
          .scenario = resolved(scenario),
          .failure = {},
          .log = {},
          .runs = {}};
}

}  // namespace faultline::store
