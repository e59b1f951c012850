#pragma once

#include "analysis/reproduction/measures.hpp"

namespace faultline {

/// The number of schedules that are tried.
double work_of(const LemmasMeasure& measure, const ReproductionSettings& settings);

/// Runs every detector under schedules 1 to `loggp_schedules` on loggp, and on simgrid, which needs
/// a process for each run, one of them under each of `simgrid_schedules` in turn. Counts broken
/// promises, by "DETECTOR FIGURE". The first counterexample of each detector is shrunk and written
/// to the working directory, as a scenario that replays it.
Measured measure_lemmas(const LemmasMeasure& measure, const ReproductionSettings& settings);

}  // namespace faultline
