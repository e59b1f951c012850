#pragma once

#include <string>
#include <vector>

#include "analysis/lemmas/protocol_stack.hpp"

namespace faultline {

/// What the lemmas are searched for, under the name that a data file gives it ("rel-lazy
/// fallback").
struct LemmaSubject {
  std::string name;
  ProtocolStack stack;
};

/// All of them; `simgrid` schedules take them in turn.
const std::vector<LemmaSubject>& lemma_subjects();

}  // namespace faultline
