// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/run_estimates.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "analysis/runs/run_strata.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/statistics/share_interval.hpp"
#include "analysis/statistics/strata.hpp"

namespace faultline::runs {

namespace {

/// The values of a metric, or of its differences, and the strata of these if the runs have any.
struct Values {
  std::vector<double> all;
  statistics::StratifiedSample strata;

  void add(std::optional<double> value, const std::optional<statistics::Stratum>& stratum) {
    if (value) all.push_back(*value);
    if (stratum) strata.add(*stratum, value);
  }
};

/// The stratum of two runs that used the same random numbers, if they have one. What one of two
/// does is only sure if that is so for both.
std::optional<statistics::Stratum> common_stratum(const RunRecord& a, const RunRecord& b) {
  auto stratum = stratum_of(a);
  const auto other = stratum_of(b);
  if (!stratum || !other || stratum->number != other->number || stratum->weight != other->weight)
    return std::nullopt;
  stratum->is_sure = stratum->is_sure && other->is_sure;
  return stratum;
}

bool is_share(const std::string& metric) {
  return statistics::metric_type(metric) == statistics::MetricType::share;
}

std::optional<statistics::Interval> student_interval(const statistics::Summary& summary,
                                                     double outside) {
  if (!summary.standard_deviation) return std::nullopt;
  const double half_width = statistics::student_t(summary.count, outside) *
                            *summary.standard_deviation /
                            std::sqrt(static_cast<double>(summary.count));
  return statistics::Interval{*summary.mean - half_width, *summary.mean + half_width};
}

std::size_t number_of(const std::vector<double>& values, double value) {
  return static_cast<std::size_t>(std::count(values.begin(), values.end(), value));
}

/// The interval of a mean of runs without strata.
std::optional<statistics::Interval> interval_of(const std::vector<double>& values,
                                                const statistics::Summary& summary,
                                                double outside) {
  if (!summary.is_share) return student_interval(summary, outside);
  return statistics::share_interval(number_of(values, 1.0), values.size(), outside);
}

/// The interval of a mean of paired differences, of runs without strata.
std::optional<statistics::Interval> difference_interval(const std::vector<double>& differences,
                                                        const statistics::Summary& summary,
                                                        double outside) {
  if (!summary.is_share) return student_interval(summary, outside);
  if (summary.count == 0) return std::nullopt;
  return statistics::share_difference_interval({.pairs = summary.count,
                                                .first_alone = number_of(differences, 1.0),
                                                .second_alone = number_of(differences, -1.0)},
                                               outside);
}

}  // namespace

statistics::Summary mean_of(const std::vector<RunRecord>& runs, const std::string& metric,
                            double outside) {
  Values values;
  for (const RunRecord& run : runs) values.add(run.number(metric), stratum_of(run));
  if (!values.strata.empty()) return values.strata.summary(strata_of(metric), outside);
  statistics::Summary summary = statistics::summarize(statistics::metric_type(metric), values.all);
  summary.confidence_95 = interval_of(values.all, summary, outside);
  return summary;
}

statistics::Summary paired_difference(const std::vector<RunRecord>& first,
                                      const std::vector<RunRecord>& second,
                                      const std::string& metric, double outside) {
  std::map<std::int64_t, const RunRecord*> others;
  for (const RunRecord& run : second) others[run.replication] = &run;
  Values values;
  for (const RunRecord& run : first) {
    const auto other = others.find(run.replication);
    if (other == others.end()) continue;
    const auto number = run.number(metric);
    const auto subtracted = other->second->number(metric);
    const auto difference =
        number && subtracted ? std::optional(*number - *subtracted) : std::optional<double>();
    values.add(difference, common_stratum(run, *other->second));
  }
  if (!values.strata.empty())
    return values.strata.summary(
        is_share(metric) ? statistics::StrataOf::share_differences : statistics::StrataOf::numbers,
        outside);
  statistics::Summary summary = statistics::summarize(values.all);
  summary.is_share = is_share(metric);
  summary.confidence_95 = difference_interval(values.all, summary, outside);
  return summary;
}

}  // namespace faultline::runs
