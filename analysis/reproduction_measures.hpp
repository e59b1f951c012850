#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction_item.hpp"
#include "analysis/summary.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// What a measure says of one cell. No value: it could not be measured, and `trouble` says why.
struct Estimate {
  std::optional<double> value;
  std::optional<Interval> confidence_95;
  std::string trouble;
  std::optional<Interval> confidence_99{};  ///< where a cell can ask for it
};

struct ReproductionSettings {
  bool quick = false;
  unsigned jobs = 1;
  bool progress = false;
};

/// The samples at one point of a series: by detector, then metric, one value for each replication.
struct SeriesPoint {
  double at = 0.0;
  std::map<std::string, std::map<std::string, std::vector<double>>> samples;
};

/// What one measure found: an estimate for each detector, the points of a series, or, for closed
/// forms, nothing.
struct Measured {
  std::map<std::string, Estimate> by_detector;
  std::vector<SeriesPoint> points;
  std::string trouble;  ///< of a series: why it has no points
  bool interrupted = false;
};

/// The mean of a sample and its 95 % interval. With `companions` (one for each value) and their
/// exact mean, the linear part of what the sample of companions missed is taken back, and the
/// interval is that of the residuals; needs four values, and companions with some spread.
Estimate estimate_mean(const std::vector<double>& values);
Estimate estimate_mean(const std::vector<double>& values, const std::vector<double>& companions,
                       double exact_companion_mean);

/// The share of those that are not 0, with its exact intervals (Clopper and Pearson 1934).
Estimate estimate_share(const std::vector<double>& zeros_and_ones);

/// mean(values) / mean(base), with the intervals of the difference of both means by Student's t
/// (pooled variance), in units of the base's mean: what the whiskers of adoption-2013 figure 4 are.
Estimate estimate_ratio_of_means(const std::vector<double>& values,
                                 const std::vector<double>& base);

/// The name of a run's termination detector, or "none".
std::string detector_of(const RunSpec& point);

/// Carries a measure out. Does not depend on the number of jobs.
Measured measure_runs(const RunsMeasure& measure, const std::string& file,
                      const ReproductionSettings& settings);
Measured measure_series(const SeriesMeasure& measure, const std::string& file,
                        const ReproductionSettings& settings);
Measured measure_step_model(const StepModelMeasure& measure, const ReproductionSettings& settings);

/// What a series says of one cell.
Estimate measure_at(const Measured& series, const Cell& cell);

/// The closed form for one cell.
Estimate measure_survival(const SurvivalMeasure& measure, const Cell& cell);

}  // namespace faultline
