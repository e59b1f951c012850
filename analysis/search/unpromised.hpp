// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analysis/runs/run_record.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// Does anybody in the stack promise that a run comes to an end although somebody has died? Else a
/// program may wait for the dead for ever.
bool outlives_deaths(const RunSpec& spec);

/// Does a component do what its paper prints, though that is known to be wrong, or leave out what
/// protects it?
bool is_wrong_on_purpose(const RunSpec& spec);

/// Does the failure detector not observe somebody, as the code that it stands for?
bool leaves_somebody_out(const RunSpec& spec);

/// Does the failure detector report those who live, as it is meant to?
bool errs_on_purpose(const RunSpec& spec);

/// May a run that has gone wrong have done so, as the pages of the protocols and of the
/// disturbances stand? It may
/// - after a false report;
/// - if a cut network has lost a message that no detector sent, because nobody repeats it;
/// - if somebody has missed a death of which a cut or lossy network has lost the word;
/// - if somebody has missed a death after a process has returned, under protocols that bring
///   processes back over a ring of heartbeats, in which these have no place;
/// - if somebody has missed a death under `rdaemon` as PRRTE has it, which does not observe node 0.
/// - if `work-stealing` loses work with rank 0, of whose death nobody was told.
/// It runs the scenario once more if it has to know what the network has lost, or who was told.
bool is_unpromised(const Scenario& scenario, const RunRecord& run);

/// Did nothing happen in a run that a protocol could give up for? Deaths, reports of them, errors
/// in data that a program finds, and ranks that stall for longer than others wait.
bool was_in_peace(const RunSpec& spec, const RunRecord& run);

}  // namespace faultline::search
