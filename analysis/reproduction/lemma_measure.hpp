// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/reproduction/measures.hpp"

namespace faultline::reproduction {

/// The number of schedules to try.
double work_of(const LemmasMeasure& measure, const ReproductionSettings& settings);

/// Runs every LemmaSubject of the family (analysis/lemmas) under schedules 1 to `loggp_schedules`
/// on loggp. A run on simgrid needs a process of its own, so each of the `simgrid_schedules` there
/// has only one subject, in turn. Counts broken promises. The first counterexample of each is
/// shrunk and written to the working directory, as a scenario that replays it.
Measured measure_lemmas(const LemmasMeasure& measure, const ReproductionSettings& settings);

}  // namespace faultline::reproduction
