#pragma once

#include <string>
#include <vector>

#include "analysis/lemma_search.hpp"
#include "analysis/reproduction_measures.hpp"

namespace faultline {

/// A detector of the lemmas, under the name that a data file gives it ("rel-lazy fallback").
struct LemmaSubject {
  std::string name;
  Subject subject;
};
const std::vector<LemmaSubject>& lemma_subjects();

/// What of a search's findings a cell can name.
const std::vector<std::string>& lemma_figures();

/// Runs every detector under schedules 1 to `loggp_schedules` on loggp, and on simgrid, which needs
/// a process for each run, one of them under each of `simgrid_schedules` in turn. Counts broken
/// promises, by "DETECTOR FIGURE". The first counterexample of each detector is shrunk and written
/// to the working directory, as a scenario that replays it.
Measured measure_lemmas(const LemmasMeasure& measure, const ReproductionSettings& settings);

}  // namespace faultline
