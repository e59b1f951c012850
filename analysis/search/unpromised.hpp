// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analysis/runs/run_record.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// True if a component of the stack promises that a run comes to an end although a process has
/// died. Otherwise a program may wait for the dead for ever.
bool outlives_deaths(const scenario::RunSpec& spec);

/// True if a component does what its paper prints, although that is known to be wrong, or leaves
/// out its protection.
bool is_wrong_on_purpose(const scenario::RunSpec& spec);

/// True if the failure detector promises that all hear of the death of a process and its node, both
/// in that life, if nothing else happens.
bool promises_word(const scenario::RunSpec& spec, std::uint16_t life);

/// True if a live process was declared dead in a run.
bool has_false_report(const runs::RunRecord& run);

/// True if the resource manager ends whoever is declared dead, wherever that is. Then a false
/// report costs no more than a death, and all promises hold after it.
bool is_fenced_everywhere(const scenario::RunSpec& spec);

/// True if a run that has gone wrong may have done so, as the pages of the protocols and of the
/// disturbances stand. It may
/// - after a false report, if nobody ends the process that is declared dead;
/// - if a cut network has lost a message that no detector sent, because nobody repeats it;
/// - if a process has missed a death of which a cut or lossy network has lost the news;
/// - if all wait, and a process does not know of a death of which the detector promises nothing;
/// - if a process has missed a death over a detector that does not promise to tell all of one, or,
///   after a first death under protocols that bring processes back, of one in a later life;
/// - if `work-stealing` loses work with rank 0, of whose death nobody was told.
/// Runs the scenario once more if it has to know what the network has lost, or which ranks were
/// told.
bool is_unpromised(const scenario::Scenario& scenario, const runs::RunRecord& run);

/// True if nothing happened in a run for which a protocol may give up, however long it waits:
/// nobody died or was declared dead, and no fault is stated that does anything else to a rank. What
/// a cut has lost is left to is_unpromised.
bool was_in_peace(const scenario::RunSpec& spec, const runs::RunRecord& run);

}  // namespace faultline::search
