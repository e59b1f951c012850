// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/lemmas/lemma_subjects.hpp"

namespace faultline {

/// The failure detectors that find deaths themselves, each with what it promises. The bounds follow
/// from the pages of the protocols (docs/protocols); the code of the protocols is not used.
const std::vector<LemmaSubject>& detection_subjects();

/// How many daemons of rdaemon, of so many, must die before reports may not reach another one: as
/// many as each has neighbours.
std::uint32_t fewest_that_cut_off(std::uint32_t daemons);

/// The subject of that name, which must exist.
const LemmaSubject& detection_subject(const std::string& name);

}  // namespace faultline
