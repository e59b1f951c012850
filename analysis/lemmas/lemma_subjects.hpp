#pragma once

#include <string>
#include <vector>

#include "analysis/lemmas/fault_schedule.hpp"

namespace faultline {

/// A detector of the lemmas, under the name that a data file gives it ("rel-lazy fallback").
struct LemmaSubject {
  std::string name;
  Subject subject;
};

/// All that the lemmas are searched for.
const std::vector<LemmaSubject>& lemma_subjects();

/// The ways in which a promise is broken, each counted on its own.
const std::vector<std::string>& lemma_figures();

/// The way of a finding (LemmaRun::broken): its first word tells.
std::string lemma_figure(const std::string& broken);

}  // namespace faultline
