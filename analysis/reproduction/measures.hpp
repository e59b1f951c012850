// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/reproduction/item.hpp"
#include "analysis/reproduction/step_model_counts.hpp"
#include "analysis/statistics/estimate.hpp"
#include "analysis/theory/survival.hpp"

namespace faultline::reproduction {

struct ReproductionSettings {
  bool quick = false;
  unsigned jobs = 1;
  bool progress = false;  ///< on stderr
  /// Called, if it is set, with each amount of work that has been done, in the unit of `work_of`.
  std::function<void(double)> worked = {};
  std::optional<double> figure_width_cm = {};  ///< on paper; none: as on a screen
};

/// The samples at one point of a series, by protocol and metric. A sample has one value for each
/// replication.
struct SeriesPoint {
  double at = 0.0;
  std::map<std::string, std::map<std::string, std::vector<double>>> samples;
  std::vector<std::string> detectors = {};  ///< those of `samples`, as the scenario orders them
};

/// What an estimate is of.
struct EstimateKey {
  Family family = Family::termination;
  std::string protocol;  ///< its name; for lemmas, that of the subject
  std::string figure;    ///< the metric, or the promise that was broken

  bool operator==(const EstimateKey&) const = default;
  bool operator<(const EstimateKey& other) const {
    return std::tie(family, protocol, figure) <
           std::tie(other.family, other.protocol, other.figure);
  }
};

/// The figure that step models estimate: control messages, relative to CDA's.
inline constexpr const char* kStepModelFigure = "control_messages";

/// The counts of a step model on one tree.
struct TreeCounts {
  std::uint64_t seed = 0;
  std::vector<ProcessCounts> counts;  ///< by the number of processes, ascending
};

/// The result of one measure: estimates, the points of a series, or what a closed form is of.
struct Measured {
  std::map<EstimateKey, statistics::Estimate> estimates;
  std::vector<SeriesPoint> points;
  std::string trouble;  ///< for runs and series: why there are no estimates or points
  bool interrupted = false;
  std::vector<TreeCounts> trees = {};  ///< for step models
  faults::FaultCounts faults = {};     ///< for survival: the content of its file
  std::string picture = {};            ///< for explorations: the run as an SVG; "" if there is none
};

/// Why a cell whose protocol was not measured has no value.
statistics::Estimate not_measured(Family family, const std::string& protocol);

/// The amount of work of a measure, from which progress is computed. The unit is one simulated
/// process of one run: a run counts once for each of its processes.
double work_of(const RunsMeasure& measure, const ReproductionSettings& settings);
double work_of(const SeriesMeasure& measure, const ReproductionSettings& settings);

/// Carries out a measure. The result does not depend on the number of jobs.
Measured measure_runs(const RunsMeasure& measure, const ReproductionSettings& settings);
Measured measure_series(const SeriesMeasure& measure, const ReproductionSettings& settings);

/// The estimate that a series, which was measured as `measured`, gives for one cell.
statistics::Estimate measure_at(const SeriesMeasure& series, const Measured& measured,
                                const Cell& cell);

/// Reads the faults of a measure. Throws UsageError, as find_fault_counts does.
Measured measure_survival(const SurvivalMeasure& measure);

/// The value of the closed form for one cell, given the faults that were read as `measured`.
statistics::Estimate survival_at(const SurvivalMeasure& measure, const Measured& measured,
                                 const Cell& cell);

}  // namespace faultline::reproduction
