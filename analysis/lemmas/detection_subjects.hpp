// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/lemmas/lemma_subjects.hpp"

namespace faultline::lemmas {

/// The failure detectors that find deaths themselves, each with its promise. The bounds follow from
/// the pages of the protocols (docs/protocols), and not from their code.
const std::vector<LemmaSubject>& detection_subjects();

/// The least number of daemons of rdaemon, of this many, whose deaths may keep reports from another
/// one: the number of its neighbours.
std::uint32_t fewest_that_cut_off(std::uint32_t daemons);

/// The subject of that name, which must exist.
const LemmaSubject& detection_subject(const std::string& name);

}  // namespace faultline::lemmas
