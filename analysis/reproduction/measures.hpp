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
  /// Called, if it is set, with each amount of work that has been done, in the unit of `work_of`.
  std::function<void(double)> worked = {};
};

/// The samples at one point of a series, by detector and metric. A sample has one value for each
/// replication.
struct SeriesPoint {
  double at = 0.0;
  std::map<std::string, std::map<std::string, std::vector<double>>> samples;
  std::vector<std::string> detectors = {};  ///< those of `samples`, as the scenario orders them
};

/// The result of one measure: an estimate for each detector, the points of a series, or nothing for
/// closed forms.
struct Measured {
  std::map<std::string, Estimate> by_detector;
  std::vector<SeriesPoint> points;
  std::string trouble;  ///< for a series: why it has no points
  bool interrupted = false;
};

/// The amount of work of a measure, from which progress is computed. The unit is one simulated
/// process of one run: a run counts once for each of its processes, and a tree of the step model
/// once for each number of processes that it is counted for.
double work_of(const RunsMeasure& measure, const std::string& file,
               const ReproductionSettings& settings);
double work_of(const SeriesMeasure& measure, const std::string& file,
               const ReproductionSettings& settings);
double work_of(const StepModelMeasure& measure, const ReproductionSettings& settings);

/// Carries out a measure. The result does not depend on the number of jobs.
Measured measure_runs(const RunsMeasure& measure, const std::string& file,
                      const ReproductionSettings& settings);
Measured measure_series(const SeriesMeasure& measure, const std::string& file,
                        const ReproductionSettings& settings);
Measured measure_step_model(const StepModelMeasure& measure, const ReproductionSettings& settings);

/// The estimate that a series gives for one cell.
Estimate measure_at(const Measured& series, const Cell& cell);

/// The value of the closed form for one cell.
Estimate measure_survival(const SurvivalMeasure& measure, const Cell& cell);

}  // namespace faultline
