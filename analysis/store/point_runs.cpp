// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/point_runs.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/runs/cut_off.hpp"
#include "analysis/runs/run_strata.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/statistics/summary.hpp"
#include "analysis/store/batches.hpp"
#include "sim/json/problems.hpp"

namespace faultline::store {

PointRuns::PointRuns(const scenario::Study& study, std::size_t point)
    : precision_(study.sweep.precision),
      first_needed_(first_needed(study, point)),
      needed_(first_needed_) {}

void PointRuns::add(const runs::RunRecord& run) {
  const auto replication = static_cast<std::size_t>(run.replication);
  if (has(replication)) return;
  if (replication >= has_.size()) has_.resize(replication + 1, false);
  has_[replication] = true;
  if (precision_) waiting_.emplace(replication, value_of(run));
  while (has(without_gap_)) {
    ++without_gap_;
    if (!precision_) continue;
    const auto next = waiting_.extract(without_gap_ - 1);
    if (!settled_) take(next.mapped());
  }
}

std::size_t PointRuns::missing(std::size_t first, std::size_t end) const {
  std::size_t count = 0;
  for (std::size_t replication = first; replication < end; ++replication)
    count += has(replication) ? 0 : 1;
  return count;
}

PointRuns::Value PointRuns::value_of(const runs::RunRecord& run) const {
  const std::string& metric = precision_->metric;
  const bool counts_anyway = runs::bound_of(metric) == statistics::MeanBound::exact;
  return {.known = run.has_number(metric),
          .is_result = counts_anyway || !runs::is_cut_off(run),
          .number = run.number(metric),
          .stratum = runs::stratum_of(run)};
}

void PointRuns::take(const Value& value) {
  known_ = known_ || value.known;
  if (value.is_result) {
    ++results_;
    if (value.number) values_.push_back(*value.number);
    if (value.stratum) strata_.add(*value.stratum, value.number);
  }
  if (without_gap_ < first_needed_) return;
  const bool is_text = statistics::metric_type(precision_->metric) == statistics::MetricType::text;
  const std::size_t most = precision_->most_replications;
  settled_ = true;
  needed_ = without_gap_;
  if (!known_ || is_text)
    trouble_ = "sweep.precision: the runs have no metric " + json::in_quotes(precision_->metric) +
               (is_text ? " that is a number" : "");
  else if (without_gap_ < most && !is_precise()) {
    settled_ = false;
    const std::size_t results_left = first_needed_ - std::min(first_needed_, results_);
    needed_ += std::clamp<std::size_t>(results_left, 1, most - without_gap_);
  }
}

bool PointRuns::is_precise() const {
  if (results_ < first_needed_) return false;
  const std::string& metric = precision_->metric;
  const statistics::Summary summary =
      strata_.empty() ? statistics::summarize(statistics::metric_type(metric), values_)
                      : strata_.summary(runs::strata_of(metric));
  if (!summary.confidence_95) return false;
  const double half_width = (summary.confidence_95->high - summary.confidence_95->low) / 2;
  return half_width <= precision_->relative_half_width * std::fabs(*summary.mean);
}

}  // namespace faultline::store
