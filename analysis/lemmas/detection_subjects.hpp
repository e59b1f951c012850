#pragma once

#include <string>
#include <vector>

#include "analysis/lemmas/lemma_subjects.hpp"

namespace faultline {

/// The failure detectors that find deaths themselves, each with what it promises. The bounds follow
/// from the pages of the protocols (docs/protocols); the code of the protocols is not used.
const std::vector<LemmaSubject>& detection_subjects();

/// The subject of that name, which must exist.
const LemmaSubject& detection_subject(const std::string& name);

}  // namespace faultline
