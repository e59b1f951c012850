// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/field_runs.hpp"

#include <algorithm>
#include <utility>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/store/study_growth.hpp"
#include "analysis/store/study_rows.hpp"
#include "analysis/store/sweep_run.hpp"
#include "sim/core/run_metrics.hpp"
#include "sim/core/stack.hpp"

namespace faultline::advice {

using runs::RunRecord;

FieldRuns::FieldRuns(Field& field, store::ResultStore& store, const AdvisorSettings& settings,
                     std::vector<std::string> metrics)
    : study_(field.study),
      store_(store),
      settings_(settings),
      metrics_(std::move(metrics)),
      study_id_(store::open_study(store, field.study, store::Growth::never)),
      wanted_(field.alternatives.size(), 0),
      runs_(field.alternatives.size()),
      failures_(field.alternatives.size()),
      elsewhere_(field.alternatives.size()) {
  look_elsewhere();
}

bool FieldRuns::make(const std::vector<std::size_t>& alternatives, std::uint32_t runs) {
  for (const std::size_t i : alternatives) {
    wanted_[i] = std::max(wanted_[i], runs);
    take_from_elsewhere(i);
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i) study_.points[i].replications = wanted_[i];
  store::SweepSettings sweep;
  sweep.jobs = settings_.jobs;
  sweep.progress = settings_.progress;
  if (store::run_sweep(study_, study_id_, store_, sweep).interrupted) return false;
  for (std::size_t i = 0; i < wanted_.size(); ++i) take(i);
  return true;
}

double FieldRuns::events() const {
  double sum = 0;
  for (const std::vector<RunRecord>& of_one : runs_) sum += events_of(of_one);
  return sum;
}

/// Finds where the store has the same alternatives, simulated by the same program.
void FieldRuns::look_elsewhere() {
  const store::StoredStudy ours = store::stored_study(study_);
  for (const store::StoredStudy& other : store_.studies()) {
    if (other.id == study_id_ || other.faultline != ours.faultline || other.simgrid != ours.simgrid)
      continue;
    store_.each_point(
        other.id,
        [&](store::StoredPoint& point) {
          if (const auto i = alternative_of(point))
            elsewhere_[*i].push_back({.study = other.id, .point = point.point});
        },
        store::PointPart::parameters);
  }
}

/// Copies the runs of an alternative that are wanted, and that only another study has.
void FieldRuns::take_from_elsewhere(std::size_t alternative) {
  for (store::PointRange range : elsewhere_[alternative]) {
    range.end = wanted_[alternative];
    const store::PointRange own{
        .study = study_id_, .point = static_cast<std::int64_t>(alternative), .end = range.end};
    const std::optional<store::StoredPoint> here = store_.part(own);
    const std::optional<store::StoredPoint> there = store_.part(range);
    if (!there || !there->failure.empty() || (here && here->runs.size() >= there->runs.size()))
      continue;
    store::StoredPoint part = store::stored_point(study_, study_id_, alternative,
                                                  scenario::point_scenario(study_, alternative));
    part.runs = there->runs;
    store_.save(part);
  }
}

/// The alternative that is this point of a study, if any is.
std::optional<std::size_t> FieldRuns::alternative_of(const store::StoredPoint& point) const {
  const auto same = std::ranges::find(study_.points, point.hash, &scenario::StudyPoint::hash);
  if (same == study_.points.end()) return std::nullopt;  // of another question
  return static_cast<std::size_t>(same - study_.points.begin());
}

/// The runs of an alternative that are not here yet, up to the number that is wanted, however many
/// the store has.
void FieldRuns::take(std::size_t alternative) {
  std::vector<RunRecord>& seen = runs_[alternative];
  if (seen.size() >= wanted_[alternative]) return;
  const store::PointRange rest{.study = study_id_,
                               .point = static_cast<std::int64_t>(alternative),
                               .first = static_cast<std::int64_t>(seen.size()),
                               .end = wanted_[alternative]};
  std::optional<store::StoredPoint> part = store_.part(rest);
  if (!part) return;
  failures_[alternative] = part->failure;
  if (!part->failure.empty()) return;
  for (RunRecord& run : part->runs) seen.push_back(what_counts(std::move(run)));
}

/// There can be many runs, so that each keeps little.
RunRecord FieldRuns::what_counts(RunRecord run) const {
  const auto is_idle = [&](const runs::RunMetric& metric) {
    return metric.name != runs::kCompleted && !names(metrics_, metric.name) &&
           !metric.name.starts_with(run_metrics::kStratum.name);
  };
  for (std::vector<runs::RunMetric>* metrics : {&run.metrics, &run.derived}) {
    std::erase_if(*metrics, is_idle);
    metrics->shrink_to_fit();
  }
  return run;
}

double events_of(const std::vector<RunRecord>& runs) {
  double sum = 0;
  for (const RunRecord& run : runs) sum += static_cast<double>(run.events);
  return sum;
}

}  // namespace faultline::advice
