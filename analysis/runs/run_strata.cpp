// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/run_strata.hpp"

#include "analysis/statistics/metric_type.hpp"
#include "analysis/theory/sure_survival.hpp"
#include "sim/core/run_metrics.hpp"

namespace faultline::runs {

std::optional<statistics::Stratum> stratum_of(const scenario::RunSpec& spec,
                                              std::uint64_t replication) {
  const auto stratum = faults::stratum_of(spec.fault_sources, replication);
  if (!stratum) return std::nullopt;
  return statistics::Stratum{.number = static_cast<double>(stratum->failed),
                             .weight = stratum->weight,
                             .is_sure = theory::survives_surely(spec, stratum->failed)};
}

void add_stratum(RunRecord& run, const scenario::RunSpec& spec) {
  const auto stratum = stratum_of(spec, static_cast<std::uint64_t>(run.replication));
  if (!stratum) return;
  run.metrics.push_back({run_metrics::kStratum.name, stratum->number});
  run.metrics.push_back({run_metrics::kStratumSure.name, stratum->is_sure ? 1.0 : 0.0});
  run.metrics.push_back({run_metrics::kStratumWeight.name, stratum->weight});
}

std::optional<statistics::Stratum> stratum_of(const RunRecord& run) {
  const auto number = run.number(run_metrics::kStratum.name);
  const auto weight = run.number(run_metrics::kStratumWeight.name);
  if (!number || !weight || !(*weight > 0.0 && *weight <= 1.0)) return std::nullopt;
  return statistics::Stratum{*number, *weight,
                             run.number(run_metrics::kStratumSure.name).value_or(0.0) != 0.0};
}

statistics::StrataOf strata_of(const std::string& metric, bool of_runs) {
  if (statistics::metric_type(metric) != statistics::MetricType::share)
    return statistics::StrataOf::numbers;
  return of_runs ? statistics::StrataOf::shares : statistics::StrataOf::means_of_shares;
}

}  // namespace faultline::runs
