#pragma once

#include <string>
#include <vector>

#include "analysis/lemmas/protocol_stack.hpp"

namespace faultline {

/// A stack of protocols for which the search tests the lemmas, with its name in data files
/// ("rel-lazy fallback").
struct LemmaSubject {
  std::string name;
  ProtocolStack stack;
};

/// All subjects. Schedules on simgrid take them in turn.
const std::vector<LemmaSubject>& lemma_subjects();

}  // namespace faultline
