#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/reproduction/item.hpp"
#include "analysis/statistics/estimate.hpp"

namespace faultline {

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
