#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/reproduction/item.hpp"
#include "analysis/statistics/estimate.hpp"

namespace faultline {

struct ReproductionSettings {
  bool quick = false;
  unsigned jobs = 1;
  bool progress = false;  ///< on stderr
  /// Told of work that is done, in the unit of `work_of`, if there is somebody to be told.
  std::function<void(double)> worked = {};
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

/// The work of a measure, so that the share that is done can be told. Its unit is what a process of
/// a run costs: a run counts for as many, and a tree of the step model for the numbers of processes
/// that it is counted for.
double work_of(const RunsMeasure& measure, const std::string& file,
               const ReproductionSettings& settings);
double work_of(const SeriesMeasure& measure, const std::string& file,
               const ReproductionSettings& settings);
double work_of(const StepModelMeasure& measure, const ReproductionSettings& settings);

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
